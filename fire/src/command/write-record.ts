import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const RECORDS = join('docs', 'evidence.json')

/** What was seen in one run, and of which commit. */
export interface EvidenceRecord {
  /** `fire/storms` */
  readonly name: string
  readonly commit: string
  /** `2026-11-21`, UTC. */
  readonly date: string
  readonly form: 'full' | 'small'
  /** What repeats it. */
  readonly command: string
  readonly machine: string
  readonly seconds: number
  readonly seed: number
  readonly lines: readonly {
    readonly test: string
    readonly reached: string
    readonly target: string
    readonly ok: boolean
  }[]
  /** How many. */
  readonly findings: number
  /** Folders whose later changes make it old. */
  readonly packages: readonly string[]
}

/** Puts records into `docs/evidence.json`, sorted by name; each takes the place of an older one. */
export async function writeRecords(root: string, fresh: readonly EvidenceRecord[]): Promise<void> {
  const file = join(root, RECORDS)
  const text = await readFile(file, 'utf8').catch(() => '{"records":[]}')
  const { records } = JSON.parse(text) as { readonly records: readonly EvidenceRecord[] }
  const kept = records.filter(({ name }) => fresh.every(record => record.name !== name))
  const sorted = [...kept, ...fresh].toSorted((one, other) => (one.name < other.name ? -1 : 1))
  await writeFile(file, `${JSON.stringify({ records: sorted }, undefined, 2)}\n`)
}

/** The commit that is checked out; undefined where files differ from it, the docs apart: each run writes there. */
export async function readCommit(root: string): Promise<string | undefined> {
  const git = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('git', words, { cwd: root })).stdout.trim()
  return (await git('status', '--porcelain', '--', ':!docs')) === ''
    ? await git('rev-parse', 'HEAD')
    : undefined
}

/** `AMD EPYC, 2 cores, Node 20.20.2` */
export function describeMachine(): string {
  const [cpu] = cpus()
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.versions.node}`
}
