import { readAgentUrl } from '@farebox/client/agent-url'
import { findLocalEconomy, isOnLoopback, type LocalEconomy } from '../keys/local-economy.ts'
import { EXIT, Refusal } from '../refusal.ts'
import { printable } from '../terminal/printable.ts'
import type { World } from '../world.ts'

/** The platform that is meant. */
export interface ChosenPlatform {
  /** Without a slash at its end. */
  readonly url: string
  /** The economy on this machine that it belongs to, where it does. */
  readonly local: LocalEconomy | undefined
}

const VARIABLE = 'FAREBOX_PLATFORM'

/**
 * Which platform: `--platform`, else `FAREBOX_PLATFORM`, else the one of the local economy.
 *
 * @throws {Refusal} where none is told, or what is told is no URL of one
 */
export async function findPlatform(world: World, given: string | undefined): Promise<ChosenPlatform> {
  const local = await findLocalEconomy(world.folder)
  const variable = world.variables[VARIABLE] || undefined
  const told = given ?? variable ?? local?.platformUrl
  if (told === undefined) {
    throw new Refusal(
      'which platform?',
      `give --platform https://platform.example, or set ${VARIABLE}\nbeside a local economy that has one, its own is taken: npm start of Farebox runs one`,
      { exitCode: EXIT.usage },
    )
  }
  const url = readUrl(told, given === undefined ? VARIABLE : '--platform')
  return { url, local: isOnLoopback(url) ? local : undefined }
}

function readUrl(text: string, name: string): string {
  try {
    return readAgentUrl(text, { allowHttp: false })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^agent URL/, name) : String(error)
    throw new Refusal(printable(reason), 'like https://platform.example', { exitCode: EXIT.usage })
  }
}
