import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const USUAL = { shop: 4100, api: 4101, clink: 4102, database: 4103, queues: 4104, secrets: 4105 };

export type Place = keyof typeof USUAL;

/** Where the servers listen: as in the last run, else on the usual ports, else on any free one. */
export interface Ports {
  /** Starts a server on its port, or on any (0) when that is taken. */
  start<T extends { readonly url: string }>(place: Place, start: (port: number) => Promise<T>): Promise<T>;
  /** Keeps the ports for the next run, so that addresses which a browser or an order still holds stay good. */
  remember(): Promise<void>;
}

/** `usual: false` takes any free ports where there was no last run. */
export async function openPorts(folder: string, usual: boolean): Promise<Ports> {
  const file = join(folder, 'ports.json');
  const last = (await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))) as Partial<Record<Place, number>>;
  const taken = { ...last };
  return {
    async start(place, start) {
      const wanted = last[place] ?? (usual ? USUAL[place] : 0);
      const server = await start(wanted).catch((error: unknown) => {
        if (wanted === 0 || !isPortTaken(error)) throw error;
        return start(0);
      });
      taken[place] = Number(new URL(server.url).port);
      return server;
    },
    remember: () => writeFile(file, JSON.stringify(taken)),
  };
}

function isPortTaken(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return code === 'EADDRINUSE' || code === 'EACCES' || /could not create any TCP\/IP sockets/.test(String(message));
}
