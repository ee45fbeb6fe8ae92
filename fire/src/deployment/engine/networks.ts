import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RefusedOption } from '../../battery.ts'

/** A place on one network. */
interface Place {
  readonly network: string
  readonly address: string
}

/** Networks of containers: a bridge each, a namespace for each container, and the names of those that run. */
export interface Networks {
  /** The address of this machine on a network: what runs outside of the containers listens there. */
  readonly host: (network: string) => string
  /** Makes the namespace of a container, with an address on each network. */
  open(
    container: string,
    networks: readonly string[],
  ): Promise<{ readonly space: string; readonly places: readonly Place[] }>
  /** Gives an address names on its network, or takes them. */
  name(place: Place, names: readonly string[], isUp: boolean): void
  /** The folder with the file of names for containers on these networks, which changes as they start and end. */
  hostsFolder(networks: readonly string[]): string
  remove(): Promise<void>
}

const run = promisify(execFile)
const PREFIX = 'fire'

/**
 * Makes the bridges, after removing what a run left that was killed.
 *
 * @param subnets - of 256 addresses each, by the names of the networks
 */
export async function createNetworks(
  folder: string,
  subnets: ReadonlyMap<string, string>,
): Promise<Networks> {
  await removeLeft()
  const bases = new Map([...subnets].map(([name, subnet]) => [name, subnet.replace(/\d+\/24$/, '')]))
  const bridges = new Map(
    [...subnets.keys()].map((name, index) => [name, `${PREFIX}${process.pid}b${index}`]),
  )
  const spaces: string[] = []
  let last = 1
  const names = new Map<string, Map<string, Set<string>>>([...subnets.keys()].map(name => [name, new Map()]))
  const sets = new Map<string, readonly string[]>()
  const hostsFolder = (networks: readonly string[]): string => join(folder, networks.join('+'))
  // At once: two names may change at the same moment.
  const write = (): void => {
    for (const [place, networks] of sets) writeFileSync(join(place, 'hosts'), linesFor(networks, names))
  }
  const host = (network: string): string => `${bases.get(network)}1`
  const remove = async (): Promise<void> => {
    for (const space of spaces) await ip(`netns del ${space}`).catch(() => undefined)
    for (const bridge of bridges.values()) await ip(`link del ${bridge}`).catch(() => undefined)
  }
  try {
    for (const [name, bridge] of bridges) await addBridge(bridge, host(name))
  } catch (error) {
    await remove()
    throw error
  }
  return {
    host,
    hostsFolder,
    remove,
    async open(container, networks) {
      last += 1
      const number = last
      const space = `${PREFIX}${process.pid}-${container}`
      await ip(`netns add ${space}`)
      spaces.push(space)
      await ip(`-n ${space} link set lo up`)
      // As container engines set it: a program without rights listens on 443.
      await ip(`netns exec ${space} sysctl -qw net.ipv4.ip_unprivileged_port_start=0`)
      const places: Place[] = []
      for (const [index, network] of networks.entries()) {
        const place = { network, address: `${bases.get(network)}${number}` }
        const link = { outer: `fv${process.pid}x${number}${index}`, inner: `eth${index}`, space }
        await addLink(link, bridges.get(network) ?? '', place.address)
        places.push(place)
      }
      const hosts = hostsFolder(networks)
      mkdirSync(hosts, { recursive: true })
      sets.set(hosts, networks)
      write()
      return { space, places }
    },
    name({ network, address }, given, isUp) {
      for (const name of given) {
        const addresses = names.get(network)?.get(name) ?? new Set()
        addresses[isUp ? 'add' : 'delete'](address)
        names.get(network)?.set(name, addresses)
      }
      write()
    },
  }
}

async function addBridge(bridge: string, address: string): Promise<void> {
  await ip(`link add ${bridge} type bridge`)
  await ip(`addr add ${address}/24 dev ${bridge}`)
  await ip(`link set ${bridge} up`)
}

/** Leads from a namespace to a bridge. */
async function addLink(
  { outer, inner, space }: { readonly outer: string; readonly inner: string; readonly space: string },
  bridge: string,
  address: string,
): Promise<void> {
  await ip(`link add ${outer} type veth peer name ${inner} netns ${space}`)
  await ip(`link set ${outer} master ${bridge} up`)
  await ip(`-n ${space} addr add ${address}/24 dev ${inner}`)
  await ip(`-n ${space} link set ${inner} up`)
}

async function ip(words: string): Promise<string> {
  return (await run('ip', words.split(' '))).stdout
}

/** A name that several networks have is resolved on the first of them. */
function linesFor(
  networks: readonly string[],
  names: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>,
): string {
  const lines = new Map<string, readonly string[]>()
  for (const network of networks)
    for (const [name, addresses] of names.get(network) ?? [])
      if (addresses.size > 0 && !lines.has(name))
        lines.set(
          name,
          [...addresses].map(address => `${address} ${name}\n`),
        )
  return [...lines.values()].flat().join('')
}

/** Names have the number of the process that made them: one that runs has the subnets. */
async function removeLeft(): Promise<void> {
  const isLeft = (name: string): boolean => {
    const pid = new RegExp(`^${PREFIX}(\\d+)(?:b|-)`).exec(name)?.[1]
    if (pid !== undefined && existsSync(`/proc/${pid}`))
      throw new RefusedOption(`the deployment of process ${pid} is under way: one runs at a time`)
    return pid !== undefined
  }
  const spaces = await readdir('/run/netns').catch(() => [])
  for (const space of spaces.filter(isLeft)) await ip(`netns del ${space}`)
  const bridges = await readdir('/sys/class/net')
  for (const bridge of bridges.filter(isLeft)) await ip(`link del ${bridge}`)
}
