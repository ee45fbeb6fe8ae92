import { printableJson } from '@farebox/conformance/internal/printable'
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { EXIT, type ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'
import { askForAgent } from './ask-for-agent.ts'
import { DEFAULT_AGENT, type NewAgent } from './project/new-agent.ts'
import { projectNextSteps } from './next-steps.ts'
import { besideOwnFiles, type ProjectBesideOwn } from './project/own-files.ts'
import { agentNameOf } from './project/package-name.ts'
import { projectFiles } from './project/project-files.ts'
import { type ProjectVersions, readProjectVersions } from './project/project-versions.ts'
import { showConflicts, showProject } from './show-project.ts'
import { packVendor, planVendor, type Vendor } from './vendor/vendor.ts'
import { findConflicts, writeProject } from './project/write-project.ts'

export interface RawInitOptions {
  readonly name?: string
  readonly description?: string
  readonly capability?: string
  readonly does?: string
  readonly price?: string
  readonly yes?: true
  readonly overwrite?: true
  readonly json?: true
}

/** Creates the project, or reports the conflicts and returns {@link EXIT}.refused without writing anything. */
export async function runInit(world: World, folderName: string, options: RawInitOptions): Promise<ExitCode> {
  const folder = resolve(world.folder, folderName)
  const vendor = world.clone === undefined ? undefined : await planVendor(world.clone)
  const versions = await readProjectVersions(vendor)
  // Conflicts are reported before the questions, so that a person does not answer them in vain.
  const expected = { ...DEFAULT_AGENT, name: options.name ?? agentNameOf(folder) }
  const early = await planProject(folder, expected, versions, vendor)
  if (isRefused(early, options)) return refuse(world, folder, early, options)

  const agent = await askForAgent(world, options, { folder, yes: options.yes === true })
  // The questions do not end with a blank line.
  if (world.canAsk && options.yes !== true) world.err.write('\n')
  const plan = await planProject(folder, agent, versions, vendor)
  if (isRefused(plan, options)) return refuse(world, folder, plan, options)
  const replaced = plan.conflicts.map(({ path }) => path)
  const completed = plan.own.filter(({ state }) => state === 'completed').map(({ path }) => path)
  const packages = vendor === undefined ? [] : await packVendor(world, vendor)
  const files = [...plan.files, ...packages.map(({ path, bytes }) => ({ path, text: bytes }))]
  await writeProject(folder, files, { replace: [...replaced, ...completed], signal: world.signal })
  tell(world, { folder, agent, plan, replaced, vendor }, options)
  return EXIT.done
}

async function planProject(
  folder: string,
  agent: NewAgent,
  versions: ProjectVersions,
  vendor: Vendor | undefined,
): Promise<ProjectBesideOwn> {
  const files = await projectFiles(agent, versions)
  const paths = [...files.map(({ path }) => path), ...(vendor?.paths ?? [])]
  const conflicts = await findConflicts(folder, paths)
  return await besideOwnFiles(folder, files, conflicts, versions)
}

function isRefused(
  { conflicts }: ProjectBesideOwn,
  { overwrite = false }: { readonly overwrite?: boolean },
): boolean {
  return conflicts.some(({ isReplaceable }) => !(overwrite && isReplaceable))
}

function refuse(
  world: World,
  folder: string,
  { conflicts }: ProjectBesideOwn,
  { json }: RawInitOptions,
): ExitCode {
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
  readonly plan: ProjectBesideOwn
  readonly replaced: readonly string[]
  readonly vendor: Vendor | undefined
}

function tell(
  world: World,
  { folder, agent, plan, replaced, vendor }: Written,
  { json }: RawInitOptions,
): void {
  const next = projectNextSteps({
    from: world.folder,
    to: folder,
    additions: plan.additions,
    jobId: randomUUID(),
  })
  if (json !== true) return showProject(world, { folder, agent, plan, replaced, next, vendor })
  const written = [...plan.files.map(({ path }) => path), ...(vendor?.paths ?? [])]
  const kept = plan.own.filter(({ state }) => state === 'kept').map(({ path }) => path)
  world.out.write(`${printableJson({ ok: true, folder, written, replaced, kept, next: next.flat() }, 2)}\n`)
}
