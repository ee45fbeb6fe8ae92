import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A `.cpuprofile` of V8, the parts of it that are read. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
  }[]
  readonly samples: readonly number[]
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[]
}

const LINES = 14

const KINDS: readonly { readonly name: string; readonly begins: readonly string[] }[] = [
  { name: 'our own code', begins: ['ours: '] },
  { name: 'Node: HTTP, streams, sockets, timers', begins: ['node: ', 'built in: '] },
  { name: 'V8 and the system', begins: ['garbage collection', 'outside JavaScript'] },
]

/**
 * Says where the CPU time of the servers went that were started under the profiler: what each package, each part of
 * Node and each function of ours spent in itself, in parts of the time in which something was done. Removes what it
 * has read.
 */
export function tellProfiles(folder: string): string {
  const files = readdirSync(folder).filter(file => file.endsWith('.cpuprofile'))
  return files
    .map(file => {
      const path = join(folder, file)
      const profile = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile
      rmSync(path)
      return `\n    ${basename(file, '.cpuprofile')}\n${formatShares(sumSelfTimes(profile))}`
    })
    .join('')
}

function sumSelfTimes({ nodes, samples, timeDeltas }: CpuProfile): ReadonlyMap<string, number> {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const sums = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const place = places.get(id) ?? 'unknown'
    if (place !== IDLE) sums.set(place, (sums.get(place) ?? 0) + (timeDeltas[index] ?? 0))
  }
  return sums
}

const IDLE = 'idle'

/** Packages and Node by their names, ours by function: that is where something can be done about it. */
function placeOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  if (functionName === '(idle)') return IDLE
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'outside JavaScript: system calls, V8 itself'
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url)?.[1]
  if (dependency !== undefined) return dependency
  if (url.startsWith('node:internal/modules')) return 'node: loading modules'
  if (url.startsWith('node:'))
    return `node: ${
      url
        .slice(5)
        .replace(/^internal\//, '')
        .split('/')[0] ?? ''
    }`
  if (url === '') return `built in: ${functionName}`
  return `ours: ${functionName === '' ? 'without a name' : functionName}`
}

function formatShares(sums: ReadonlyMap<string, number>): string {
  const whole = [...sums.values()].reduce((sum, one) => sum + one, 0)
  const sorted = [...sums].toSorted(([, one], [, other]) => other - one)
  const shown = sorted.slice(0, LINES)
  const rest = sorted.slice(LINES).reduce((sum, [, one]) => sum + one, 0)
  const lines = [...shown, [`${sorted.length - shown.length} others`, rest] as const]
  return [...sumKinds(sums), ['', 0] as const, ...lines]
    .map(([place, micros]) =>
      place === '' ? '\n' : `      ${((100 * micros) / whole).toFixed(1).padStart(5)} %  ${place}\n`,
    )
    .join('')
}

/** The four that add up to the whole. */
function sumKinds(sums: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const kinds = new Map<string, number>()
  for (const [place, micros] of sums) {
    const kind = KINDS.find(({ begins }) => begins.some(start => place.startsWith(start)))?.name ?? 'packages'
    kinds.set(kind, (kinds.get(kind) ?? 0) + micros)
  }
  return [...kinds].toSorted(([, one], [, other]) => other - one)
}
