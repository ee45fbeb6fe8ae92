import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** What a Compose file says of a service, as far as an engine needs it here. */
export interface ComposeService {
  readonly image: string
  readonly command?: string
  readonly env_file?: string
  readonly environment?: { readonly [name: string]: string }
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly networks?:
    | readonly string[]
    | { readonly [name: string]: { readonly aliases: readonly string[] } | null }
  readonly stop_grace_period?: string
  readonly deploy?: { readonly replicas: number }
}

/** A Compose file. */
export interface Compose {
  readonly services: { readonly [name: string]: ComposeService }
  readonly secrets: { readonly [name: string]: { readonly file: string } }
  readonly networks: {
    readonly [name: string]: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } }
  }
}

/** What an image sets before the Compose file does. */
export interface Image {
  readonly environment: { readonly [name: string]: string }
  readonly command: readonly string[]
  readonly stopSignal: NodeJS.Signals
  /** The working folder. */
  readonly folder: string
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const DEPLOY = join(ROOT, 'deploy')
/** Where npm installs the programs; the image's own path begins with such a folder, too. */
export const PROGRAMS = join(ROOT, 'node_modules', '.bin')
export const COMPOSE_FOLDER = join(DEPLOY, 'compose')

/** Reads the Compose file of `deploy/compose`. */
export async function readCompose(): Promise<Compose> {
  // The file is our own, and a test holds it to its form.
  return parse(await readFile(join(COMPOSE_FOLDER, 'compose.yaml'), 'utf8'), { merge: true }) as Compose
}

/**
 * The images by the names of the Compose file: their variables are read from the Dockerfiles, their programs are the builds
 * of this repository.
 */
export async function readImages(
  agentFolder: string,
  operatorFolder: string,
): Promise<ReadonlyMap<string, Image>> {
  const farebox = await readVariables(join(DEPLOY, 'Dockerfile'))
  const agent = await readVariables(join(ROOT, 'packages', 'cli', 'templates', 'Dockerfile.template'))
  const haproxy = ['haproxy', '-W', '-db', '-f', join(operatorFolder, 'haproxy.cfg')]
  const stopped = { stopSignal: 'SIGTERM', folder: operatorFolder } as const
  return new Map<string, Image>([
    ['farebox', { environment: farebox, command: [], ...stopped }],
    ['agent', { environment: agent, command: ['farebox', 'start'], ...stopped, folder: agentFolder }],
    // The image's own stop signal: connections that are open are finished.
    ['haproxy', { environment: {}, command: haproxy, ...stopped, stopSignal: 'SIGUSR1' }],
  ])
}

/** How long a service may take to stop: ten seconds where the file does not say. */
export function graceMsOf({ stop_grace_period: period = '10s' }: ComposeService): number {
  return Number.parseInt(period, 10) * 1_000
}

/** The image of a service: `farebox`, `agent` or the name before the version. */
export function imageOf({ image }: ComposeService): string {
  return image.startsWith('${AGENT_IMAGE') ? 'agent' : image.replace(/:.*/, '')
}

/** The networks of a service with the names that it has there beside its own. */
export function networksOf({
  networks = ['default'],
}: ComposeService): ReadonlyMap<string, readonly string[]> {
  return isList(networks)
    ? new Map(networks.map(name => [name, []]))
    : new Map(Object.entries(networks).map(([name, more]) => [name, more?.aliases ?? []]))
}

function isList(networks: NonNullable<ComposeService['networks']>): networks is readonly string[] {
  return Array.isArray(networks)
}

/** The `ENV` lines of a Dockerfile; the path is the machine's. */
async function readVariables(file: string): Promise<{ readonly [name: string]: string }> {
  const lines = [...(await readFile(file, 'utf8')).matchAll(/^ENV (.+)$/gm)].map(([, line = '']) => line)
  const pairs = [...lines.join(' ').matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  return Object.fromEntries(pairs.filter(([name]) => name !== 'PATH'))
}
