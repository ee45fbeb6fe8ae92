import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunningChild } from '@farebox/local/src/processes/child-process'
import { killFamily } from '../../storms/stage/process-family.ts'
import { NOBODY } from '../../failover/cluster/start-program.ts'
import type { StoreBase } from '../../storms/stage/stage.ts'
import type { ManagedKind } from '../../storms/stage/managed-process.ts'
import { startWithUs } from '../../storms/stage/start-with-us.ts'
import type { Networks } from './networks.ts'
import { PROGRAMS } from './read-compose.ts'

/** A container, as a process with a network, a name server and secrets of its own. */
export interface ContainerPlan {
  readonly name: string
  readonly kind: ManagedKind
  /** Its networks, with its names there. */
  readonly networks: ReadonlyMap<string, readonly string[]>
  readonly command: readonly string[]
  readonly environment: { readonly [name: string]: string }
  readonly folder: string
  /** The files in `/run/secrets` are those of this folder. */
  readonly secretsFolder: string
  /** Part of the line by which it says that it is ready. */
  readonly ready: string
  readonly stopSignal: NodeJS.Signals
  /** It is killed when it takes longer to stop. */
  readonly graceMs: number
  readonly onLine?: (line: string) => void
}

/** What containers write is kept when the run is over. */
export const LOGS = fileURLToPath(new URL('../../../../.farebox/fire/deployment', import.meta.url))
/** Where the name server of a container listens: its engine's. */
const NAME_SERVER = '127.0.0.11'
const PATH = `${PROGRAMS}:${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
/** `ip netns exec` has made a mount namespace: nothing of this is seen outside. */
const ENTER = [
  'ulimit -n 65536 2>/dev/null',
  'mount --bind "$1" /etc/resolv.conf',
  'mount -t tmpfs tmpfs /run && mkdir /run/secrets && mount --bind "$2" /run/secrets',
  'cd "$3" && shift 3',
  `exec setpriv --reuid ${NOBODY.uid} --regid ${NOBODY.gid} --clear-groups "$@"`,
].join('\n')

/**
 * Makes the network of a container and starts it, and again when it ends, as an engine does that restarts it. Its names are
 * known while it runs.
 *
 * @returns its addresses by its networks
 */
export async function startContainer(
  { folder, manage }: Pick<StoreBase, 'folder' | 'manage'>,
  networks: Networks,
  plan: ContainerPlan,
): Promise<ReadonlyMap<string, string>> {
  const joined = [...plan.networks.keys()]
  const { space, places } = await networks.open(plan.name, joined)
  const named = (isUp: boolean): void => {
    for (const place of places) networks.name(place, plan.networks.get(place.network) ?? [], isUp)
  }
  await mkdir(LOGS, { recursive: true })
  await startNameServer({ space, hosts: networks.hostsFolder(joined), manage, name: plan.name })
  const resolver = join(folder, 'resolv.conf')
  await writeFile(resolver, `nameserver ${NAME_SERVER}\n`)
  const enter = ['sh', '-c', ENTER, 'sh', resolver, plan.secretsFolder, plan.folder]
  await manage(plan.kind, plan.name, async () => {
    named(true)
    const child = await startWithUs({
      part: plan.name,
      command: 'ip',
      arguments: ['netns', 'exec', space, ...enter, ...plan.command],
      environment: { PATH, ...plan.environment },
      logFile: join(LOGS, `${plan.name}-${Date.now()}.log`),
      ready: plan.ready,
      ...(plan.onLine && { onLine: plan.onLine }),
    })
    void child.exited.then(() => named(false))
    return { ...child, stop: () => stopContainer(child, plan) }
  })
  return new Map(places.map(({ network, address }) => [network, address]))
}

async function stopContainer({ pid, exited }: RunningChild<true>, plan: ContainerPlan): Promise<void> {
  const killing = setTimeout(() => void killFamily(pid), plan.graceMs)
  try {
    process.kill(pid, plan.stopSignal)
  } catch {
    // It has ended by itself.
  }
  await exited
  clearTimeout(killing)
}

/** Answers with the names of the folder as they are; it is not one of the parts that are ended. */
async function startNameServer({
  space,
  hosts,
  manage,
  name,
}: {
  readonly space: string
  readonly hosts: string
  readonly manage: StoreBase['manage']
  readonly name: string
}): Promise<RunningChild<true>> {
  const words = [
    '--keep-in-foreground --log-facility=- --pid-file= --user=root --conf-file=/dev/null --no-resolv --no-hosts',
    `--bind-interfaces --listen-address=${NAME_SERVER} --cache-size=0 --address=/#/ --hostsdir=${hosts}`,
  ].flatMap(line => line.split(' '))
  const arguments_ = ['netns', 'exec', space, 'dnsmasq', ...words]
  const program = { command: 'ip', arguments: arguments_, environment: { PATH }, ready: 'started, version' }
  return await manage('other', `${name}-names`, () => startWithUs(program))
}
