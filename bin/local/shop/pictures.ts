import { Html } from '../clink-double/html.ts';

const SHAPES: ReadonlyMap<string, string> = new Map([
  [
    'enamel-mug',
    '<path d="M34 34h44v42a10 10 0 0 1-10 10H44a10 10 0 0 1-10-10Z"/><path d="M78 44h8a10 10 0 0 1 0 26h-8" fill="none" stroke-width="6"/><path d="M30 34h52" stroke-width="6"/>',
  ],
  [
    'linen-notebook',
    '<rect x="36" y="24" width="50" height="68" rx="4"/><path d="M46 24v68" stroke-width="3" class="light"/><path d="M56 42h20M56 52h14" stroke-width="3" class="light"/>',
  ],
  [
    'tenugui-cloth',
    '<path d="M26 36h68v44H26Z"/><path d="M26 47h68M26 58h68M26 69h68M43 36v44M60 36v44M77 36v44" stroke-width="3" class="light"/>',
  ],
  [
    'toraja-coffee',
    '<ellipse cx="60" cy="58" rx="21" ry="32" transform="rotate(28 60 58)"/><path d="M50 84c2-14 18-34 20-52" fill="none" stroke-width="4" class="light"/>',
  ],
]);

const PARCEL =
  '<path d="M30 44 60 30l30 14v36L60 94 30 80Z"/><path d="M30 44l30 14 30-14M60 58v36" fill="none" stroke-width="3" class="light"/>';

/** A drawing for the product; decoration only. A product that somebody added gets a parcel. */
export function pictureOf(productId: string): Html {
  const shapes = SHAPES.get(productId) ?? PARCEL;
  return new Html(`<svg class="picture" viewBox="0 0 120 118" aria-hidden="true">${shapes}</svg>`);
}
