import { printable } from '@farebox/conformance/internal/printable'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import type { NewAgent } from './project/new-agent.ts'
import { type NextSteps, wayTo } from './next-steps.ts'
import type { OwnFile, ProjectBesideOwn } from './project/own-files.ts'
import type { Vendor } from './vendor/vendor.ts'
import type { Conflict } from './project/write-project.ts'

export interface ShownProject {
  /** Absolute. */
  readonly folder: string
  readonly agent: NewAgent
  readonly plan: ProjectBesideOwn
  /** Paths of existing files that were replaced. */
  readonly replaced: readonly string[]
  readonly next: NextSteps
  /** Our packages, when they are written into the project. */
  readonly vendor: Vendor | undefined
}

export function showProject(world: World, project: ShownProject): void {
  const { agent, plan, replaced, next, vendor } = project
  const completed = plan.own.filter(({ state }) => state === 'completed').map(({ path }) => path)
  const files = plan.files.filter(({ path }) => !completed.includes(path))
  const { out } = world
  const paint = paintFor(out)
  const width = widest([...files, ...plan.own])
  const line = (path: string, note: string): string => `  ${path.padEnd(width)}   ${paint.dim(note)}`
  const lines = [
    ...files.map(({ path, about }) => line(path, replaced.includes(path) ? `${about} (replaced)` : about)),
    ...plan.own.map(own => line(own.path, tellOwn(own, plan))),
    ...(vendor === undefined ? [] : [line('vendor/', 'Farebox itself, packed from this clone; commit it')]),
  ]
  const [run, call] = next.map(commands => commands.map(command => `  ${paint.cyan(command)}`))
  const made = `${paint.green('✓')} ${paint.bold(printable(agent.name))} is in ${placeOf(world, project.folder)}`
  const text = [
    made,
    '',
    ...lines,
    '',
    'Next',
    ...(run ?? []),
    '',
    'and in another terminal',
    ...(call ?? []),
  ]
  out.write(`${text.join('\n')}\n`)
}

function tellOwn({ path, state }: OwnFile, { additions }: ProjectBesideOwn): string {
  if (state === 'completed') return 'was there; the lines it lacked stand below its own'
  return path === 'package.json' && additions !== undefined && additions.length > 0
    ? 'was there and stays; what it lacks is added below'
    : 'was there and stays'
}

export function showConflicts(world: World, folder: string, conflicts: readonly Conflict[]): void {
  const { err } = world
  const width = widest(conflicts)
  const count = conflicts.length === 1 ? 'a file is' : `${conflicts.length} files are`
  const fixed = conflicts.some(({ isReplaceable }) => !isReplaceable)
  const lines = [
    `${paintFor(err).red('✗')} nothing was written: ${count} in the way in ${placeOf(world, folder)}`,
    ...conflicts.map(({ path, what }) => `    ${path.padEnd(width)}   ${what}`),
    fixed
      ? '  move away what is no file, or name another folder: farebox init <folder>'
      : '  --overwrite replaces exactly these; or name another folder: farebox init <folder>',
  ]
  err.write(`${asTyped(world, lines.join('\n'))}\n`)
}

function widest(files: readonly { readonly path: string }[]): number {
  return Math.max(...files.map(({ path }) => path.length))
}

function placeOf(world: World, folder: string): string {
  const way = wayTo(world.folder, folder)
  return way === '' ? 'this folder' : `${printable(way)}/`
}
