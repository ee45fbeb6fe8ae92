import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { EXIT, Refusal, type ExitCode } from '../refusal.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { World } from '../world.ts'
import { askForAgent } from './ask-for-agent.ts'
import type { RawInitOptions } from './init-command.ts'
import { DEFAULT_AGENT, type NewAgent } from './new-agent.ts'
import { nextSteps } from './next-steps.ts'
import { manifestAdditions, type PackageManifest } from './package-manifest.ts'
import { agentNameOf } from './package-name.ts'
import { projectFiles, type ProjectFile } from './project-files.ts'
import { readProjectVersions, type ProjectVersions } from './project-versions.ts'
import { showConflicts, showProject } from './show-project.ts'
import { findConflicts, writeProject, type Conflict } from './write-project.ts'

/** Makes the project, or says what is in the way: {@link EXIT}.refused, with nothing written. */
export async function runInit(world: World, folderName: string, options: RawInitOptions): Promise<ExitCode> {
  const folder = resolve(world.folder, folderName)
  const versions = await readProjectVersions()
  // Whoever answers questions should not learn afterwards that it was for nothing.
  const expected = { ...DEFAULT_AGENT, name: options.name ?? agentNameOf(folder) }
  const early = await planProject(folder, expected, versions)
  if (isRefused(early, options)) return refuse(world, folder, early, options)

  const agent = await askForAgent(world, options, { folder, yes: options.yes === true })
  // The questions end without a line of their own.
  if (world.canAsk && options.yes !== true) world.err.write('\n')
  const plan = await planProject(folder, agent, versions)
  if (isRefused(plan, options)) return refuse(world, folder, plan, options)
  const replaced = plan.conflicts.map(({ path }) => path)
  await writeProject(folder, plan.files, { replace: replaced, signal: world.signal })
  tell(world, { folder, agent, plan, replaced }, options)
  return EXIT.done
}

/** What is to be written, and what stands in its way. */
interface Plan {
  readonly files: readonly ProjectFile[]
  readonly conflicts: readonly Conflict[]
  /** The commands that add what a `package.json` of somebody's own lacks; undefined where one is written. */
  readonly additions: readonly string[] | undefined
}

async function planProject(folder: string, agent: NewAgent, versions: ProjectVersions): Promise<Plan> {
  const files = await projectFiles(agent, versions)
  const conflicts = await findConflicts(
    folder,
    files.map(({ path }) => path),
  )
  const isKept = conflicts.some(({ path, isReplaceable }) => path === MANIFEST && isReplaceable)
  if (!isKept) return { files, conflicts, additions: undefined }
  return {
    files: files.filter(({ path }) => path !== MANIFEST),
    conflicts: conflicts.filter(({ path }) => path !== MANIFEST),
    additions: manifestAdditions(await readManifest(join(folder, MANIFEST)), versions),
  }
}

/** It is never replaced: what stands in it cannot be made anew. */
const MANIFEST = 'package.json'

async function readManifest(file: string): Promise<PackageManifest> {
  try {
    const manifest: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return { ...manifest }
  } catch (error) {
    throw new Refusal(`${file} cannot be read`, 'mend it, or name another folder: farebox init <folder>', {
      cause: error,
    })
  }
  throw new Refusal(`${file} is not a JSON object`, 'mend it, or name another folder: farebox init <folder>')
}

function isRefused({ conflicts }: Plan, { overwrite = false }: { readonly overwrite?: boolean }): boolean {
  return conflicts.some(({ isReplaceable }) => !(overwrite && isReplaceable))
}

function refuse(world: World, folder: string, { conflicts }: Plan, { json }: RawInitOptions): ExitCode {
  if (json === true) {
    const found = conflicts.map(({ path, what }) => ({ path, what }))
    world.out.write(`${printableJson({ ok: false, folder, conflicts: found }, 2)}\n`)
  } else {
    showConflicts(world, folder, conflicts)
  }
  return EXIT.refused
}

interface Written {
  readonly folder: string
  readonly agent: NewAgent
  readonly plan: Plan
  readonly replaced: readonly string[]
}

function tell(world: World, { folder, agent, plan, replaced }: Written, { json }: RawInitOptions): void {
  const next = nextSteps({
    from: world.folder,
    to: folder,
    additions: plan.additions,
    jobId: randomUUID(),
  })
  const kept = plan.additions === undefined ? [] : [MANIFEST]
  if (json !== true) return showProject(world, { folder, agent, files: plan.files, replaced, kept, next })
  const written = plan.files.map(({ path }) => path)
  world.out.write(`${printableJson({ ok: true, folder, written, replaced, kept, next: next.flat() }, 2)}\n`)
}
