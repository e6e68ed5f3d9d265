import { spawn } from 'node:child_process';

/** Runs a command for as long as somebody holds our standard input; then the command ends, with all that it has started. */
const [command = '', ...args] = process.argv.slice(2);
// Ctrl-C is for whoever started us.
process.on('SIGINT', () => undefined);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
child.once('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.once('exit', (code) => {
  endAll();
  process.exit(code ?? 1);
});
process.stdin.once('close', endAll).resume();

function endAll(): void {
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
