import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { resolve } from 'node:path'
import { agentDrift, type AgentDrift } from '@farebox/platform-api/flows/drift'
import { readConfig } from 'farebox/internal/command-line'
import type { RawCheckOptions } from '../check/check-options.ts'
import { EXIT, type ExitCode, usageError } from '../command-error.ts'
import { createAskPlatform } from '../register/platform/ask-platform.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import { readAgentNumber } from '../terminal/read-option.ts'
import { many, paintFor, wrap } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { openRegistrationJournal } from '../register/platform/registration-journal.ts'
import { withConfigProblems } from '../types/run-types.ts'
import { openPlatform } from '../register/platform/open-platform.ts'

/**
 * `farebox check --flows`: counts the flows at a platform that the declaration in this folder would break. Exit code 1 when
 * there are any. With `--json` the output is always exactly one document.
 */
export async function checkOwnFlows(
  world: World,
  url: string | undefined,
  raw: RawCheckOptions,
): Promise<ExitCode> {
  return await withConfigProblems(world, { config: CONFIG, ...raw }, async () => {
    refuseOthers(raw)
    const { agentId, name, drift } = await askForDrift(world, url, raw)
    if (raw.json === true)
      world.out.write(`${printableJson({ ok: drift.affected === 0, agent_id: agentId, ...drift })}\n`)
    else showDrift(world, { agentId, name, drift })
    return drift.affected === 0 ? EXIT.done : EXIT.refused
  })
}

const CONFIG = 'agent.json'
const OWN = ['flows', 'agentId', 'platform', 'config', 'json']

function refuseOthers(raw: RawCheckOptions): void {
  const other = Object.keys(raw).find(name => !OWN.includes(name))
  if (other === undefined) return
  const option = `--${other.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
  throw usageError(
    `${option} is about a running agent, --flows about your declaration`,
    'leave one of them out',
  )
}

async function askForDrift(
  world: World,
  url: string | undefined,
  { agentId: given, platform, config = CONFIG }: RawCheckOptions,
): Promise<{ readonly agentId: number; readonly name: string; readonly drift: AgentDrift }> {
  const givenId = given === undefined ? undefined : readAgentNumber(given)
  const declaration = await readConfig(resolve(world.folder, config))
  const chosen = await findPlatform(world, platform, givenId)
  const ask = createAskPlatform(chosen.url, world.signal)
  const agentId = givenId ?? (await findOwnAgent(world, { platform: chosen.url, endpoint: url }))
  const drift = await ask({
    path: `/v1/agents/${agentId}/drift`,
    body: { declaration },
    schema: agentDrift,
  })
  return { agentId, name: declaration.name, drift }
}

/**
 * Finds the selected agent: the one listed with the given endpoint; by default the only one that was registered from this
 * machine at this platform.
 */
async function findOwnAgent(
  world: World,
  { platform, endpoint }: { readonly platform: string; readonly endpoint: string | undefined },
): Promise<number> {
  if (endpoint !== undefined) {
    return await openPlatform(platform, world.signal).findAgent(endpoint)
  }
  const records = await openRegistrationJournal(world.home).list()
  const registered = records.filter(one => one.platform === platform && one.endedAt === undefined)
  const ids = [...new Set(registered.flatMap(({ agentId }) => agentId ?? []))]
  const [only] = ids
  if (only !== undefined && ids.length === 1) return only
  throw usageError(
    only === undefined
      ? `which agent? none was registered from here at ${printable(platform)}`
      : `which agent? ${ids.length} were registered from here: ${ids.join(', ')}`,
    'name it: farebox check --flows --agent-id 7, or farebox check --flows https://agent.example',
  )
}

interface FoundDrift {
  readonly agentId: number
  readonly name: string
  readonly drift: AgentDrift
}

const INDENT = 2

/** Shows each changed capability with the flows that use it, and below it what would prevent them from running. */
function showDrift({ out }: World, { agentId, name, drift }: FoundDrift): void {
  const { bold, dim, red, green } = paintFor(out)
  const { flows, changed, affected, examined } = drift
  out.write(
    `${bold(printable(name))}   ${dim(`agent ${agentId}, ${many(flows, 'flow')} order${flows === 1 ? 's' : ''} from it`)}\n\n`,
  )
  const broken = new Set(drift.broken.map(({ capability }) => capability))
  const names = changed.map(({ capability }) => printable(capability))
  const width = Math.max(0, ...names.map(({ length }) => length))
  for (const [index, one] of changed.entries()) {
    const sign = broken.has(one.capability) ? red('✗') : green('✓')
    const label = (names[index] ?? '').padEnd(width)
    const change = WORDS[one.change].padEnd(WORD_COLUMNS)
    out.write(`  ${sign} ${bold(label)}  ${dim(change)}  ${many(one.flows, 'flow')}\n`)
    showReasons(out, drift, one.capability)
  }
  if (changed.length > 0) out.write('\n')
  out.write(affected === 0 ? `${green('✓')} ${fine(drift)}\n` : `${red('✗')} ${bad(affected, examined)}\n`)
  if (affected > 0) out.write(`  ${dim(ADVICE)}\n`)
}

const WORDS = { changed: 'changed', dearer: 'dearer', gone: 'gone' } as const
const WORD_COLUMNS = 7
const ADVICE = 'keep what they use, and add beside it; or give the new one another name'

function showReasons(out: World['out'], { broken }: AgentDrift, capability: string): void {
  const { dim } = paintFor(out)
  const reasons = broken.filter(one => one.capability === capability)
  const width = Math.max(0, ...reasons.map(({ flows }) => String(flows).length))
  for (const { flows, reason } of reasons) {
    const label = `${' '.repeat(2 * INDENT)}${String(flows).padStart(width)}  `
    const lines = wrap(printable(reason), Math.max(20, out.columns - label.length))
    out.write(`${dim(label)}${lines.join(`\n${' '.repeat(label.length)}`)}\n`)
  }
}

function fine({ flows, changed }: AgentDrift): string {
  if (flows === 0) return 'no flow orders from it yet'
  return changed.length === 0 ? 'nothing changes for them' : 'all of them can be run as they are'
}

function bad(affected: number, examined: number): string {
  return `${affected} of ${many(examined, 'flow')} that were checked could not be run any more`
}
