import { resolve } from 'node:path'
import { agentDrift, type AgentDrift } from '@farebox/platform-api/flows/drift'
import { ConfigError, explainFailure, readConfig } from 'farebox/internal/command-line'
import type { RawCheckOptions } from '../check/check-options.ts'
import { EXIT, CommandError, type ExitCode } from '../command-error.ts'
import { createAskPlatform } from '../register/platform/ask-platform.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import { readAgentId } from '../register/platform/read-agent-id.ts'
import { asTyped } from '../terminal/as-typed.ts'
import { paintFor } from '../terminal/paint.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { World } from '../world.ts'
import { findOwnAgent } from './find-own-agent.ts'
import { showDrift } from './show-drift.ts'

/**
 * `farebox check --flows`: how many of the flows at a platform the declaration in this folder would break. Exit code 1
 * where it would any. With `--json` the output holds one document whatever happens.
 *
 * @throws {CommandError} what a person reads
 */
export async function checkOwnFlows(
  world: World,
  url: string | undefined,
  raw: RawCheckOptions,
): Promise<ExitCode> {
  try {
    refuseOthers(raw)
    const { agentId, name, drift } = await askForDrift(world, url, raw)
    if (raw.json === true)
      world.out.write(`${printableJson({ ok: drift.affected === 0, agent_id: agentId, ...drift })}\n`)
    else showDrift(world, { agentId, name, drift })
    return drift.affected === 0 ? EXIT.done : EXIT.refused
  } catch (error) {
    if (raw.json === true) world.out.write(`${printableJson(failureOf(world, error))}\n`)
    else if (error instanceof ConfigError) world.err.write(asNamed(world, raw, error))
    if (!(error instanceof ConfigError)) throw error
    return EXIT.refused
  }
}

const CONFIG = 'agent.json'
const OWN = ['flows', 'agentId', 'platform', 'config', 'json']

/** What says how a running agent is asked. */
function refuseOthers(raw: RawCheckOptions): void {
  const other = Object.keys(raw).find(name => !OWN.includes(name))
  if (other === undefined) return
  const option = `--${other.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
  throw new CommandError(
    `${option} is about a running agent, --flows about your declaration`,
    'leave one of them out',
    {
      exitCode: EXIT.usage,
    },
  )
}

async function askForDrift(
  world: World,
  url: string | undefined,
  { agentId: given, platform, config = CONFIG }: RawCheckOptions,
): Promise<{ readonly agentId: number; readonly name: string; readonly drift: AgentDrift }> {
  const givenId = given === undefined ? undefined : readAgentId(given)
  const declaration = await readConfig(resolve(world.folder, config))
  const chosen = await findPlatform(world, platform, givenId)
  const ask = createAskPlatform(chosen.url, world.signal)
  const agentId = givenId ?? (await findOwnAgent(world, ask, { platform: chosen.url, endpoint: url }))
  const drift = await ask({
    path: `/v1/agents/${agentId}/drift`,
    body: { declaration },
    schema: agentDrift,
  })
  return { agentId, name: declaration.name, drift }
}

/** The declaration is named as the person named it. */
function asNamed({ folder, err }: World, { config = CONFIG }: RawCheckOptions, error: ConfigError): string {
  return explainFailure(error, paintFor(err)).replaceAll(resolve(folder, config), config)
}

function failureOf(world: World, error: unknown): object {
  if (error instanceof ConfigError) return { ok: false, problems: error.problems }
  const message = error instanceof Error ? error.message : String(error)
  const next = error instanceof CommandError && error.next !== '' ? { next: asTyped(world, error.next) } : {}
  return { ok: false, error: { message, ...next } }
}
