/** The look of the payment page and the dashboard, without anything from elsewhere. */
export const STYLE = `
  :root { color-scheme: light dark; --ink: #1c2230; --soft: #5b6475; --line: #d9dee8; --paper: #fff; --ground: #f2f4f8;
    --accent: #2f4bd8; --bad: #b3261e; --bad-ground: #fdecea; --note-ground: #e9edfd; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e8ebf2; --soft: #a3adbf; --line: #333b4a; --paper: #1a1f29;
    --ground: #11151c; --accent: #5f79ff; --bad: #ffb4ab; --bad-ground: #3b1917; --note-ground: #1f2848; } }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
  h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
  a { color: var(--accent); }
  table { width: 100%; border-collapse: collapse; }
  th, td { padding: .5rem .75rem .5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
  th { font-size: .8rem; color: var(--soft); font-weight: 600; }
  button, input, select { font: inherit; color: inherit; border-radius: .5rem; border: 1px solid var(--line); padding: .4rem .75rem;
    background: var(--paper); }
  button { cursor: pointer; }
  button:hover { border-color: var(--accent); }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  button.primary { background: var(--accent); border-color: var(--accent); color: #fff; font-weight: 600; }
  @media (prefers-color-scheme: dark) { button.primary { color: #0b1020; } }
  fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 0; padding: .75rem 1rem 1rem; }
  legend { color: var(--soft); font-size: .875rem; padding: 0 .4rem; }
  .notice { background: var(--note-ground); border-radius: .5rem; padding: .75rem 1rem; }
  .notice.bad { background: var(--bad-ground); color: var(--bad); }
  .badge { font-size: .75rem; font-weight: 600; border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .6rem;
    color: var(--soft); white-space: nowrap; }
  .soft { color: var(--soft); }

  .checkout { display: grid; justify-items: center; align-items: start; padding: 5vh 1rem; }
  .card { width: 100%; max-width: 30rem; background: var(--paper); border: 1px solid var(--line); border-radius: 1rem; padding: 2rem; }
  .brand { display: flex; justify-content: space-between; gap: 1rem; color: var(--soft); margin: 0 0 1.5rem; }
  .amount { font-size: 2rem; font-weight: 650; margin: 0 0 1.25rem; font-variant-numeric: tabular-nums; }
  .items { margin-bottom: 1.5rem; }
  .items caption { text-align: left; font-weight: 600; padding-bottom: .25rem; }
  .items :is(th, td):not(:first-child) { text-align: right; padding-right: 0; padding-left: .75rem; white-space: nowrap; }
  .card form { display: grid; gap: 1rem; margin-bottom: 1.25rem; }
  .card form button { width: 100%; padding: .75rem 1rem; }
  .card fieldset { display: grid; gap: .75rem; }

  .dashboard { padding: 2rem 1rem; }
  .dashboard main { max-width: 84rem; margin: 0 auto; display: grid; gap: 1.25rem; }
  .dashboard header { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; }
  .dashboard section { background: var(--paper); border: 1px solid var(--line); border-radius: 1rem; padding: 1.25rem 1.5rem;
    overflow-x: auto; }
  .dashboard table { font-size: .875rem; }
  .dashboard td { vertical-align: middle; }
  .dashboard tbody tr:last-child :is(th, td) { border-bottom: 0; padding-bottom: 0; }
  .dashboard td code { font-size: .8rem; white-space: nowrap; }
  .dashboard td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
  .dashboard form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
  .dashboard td form { align-items: center; flex-wrap: nowrap; gap: .4rem; }
  .dashboard td input { width: 7rem; }
  .dashboard td :is(button, input) { padding: .15rem .5rem; white-space: nowrap; }
  .knobs { display: grid; gap: 1.25rem; }
  .knobs label { display: grid; font-size: .8rem; color: var(--soft); }
  .knobs label.check { display: flex; gap: .4rem; align-items: center; padding-bottom: .5rem; }
  .knobs :is(input, select):not([type=checkbox]) { width: 9.5rem; color: var(--ink); }
  .knobs h3 { font-size: .9rem; margin: 0 0 .5rem; }
`;
