import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeSecretFile } from '../home/secret-file.ts'
import { systemClock } from '@farebox/client/internal/exchange/clock'
import { objectOf, parseJson } from '@farebox/protocol/internal/guards/json'

/** A session at one platform, as it is kept between commands. */
export interface KeptSession {
  readonly version: 1
  /** The platform's URL. */
  readonly platform: string
  /** Lower case. */
  readonly address: string
  /** Whoever has it acts for the owner until the session ends. */
  readonly token: string
  /** Unix seconds; it ends sooner where it is not used for two hours. */
  readonly expiresAt: number
}

/** Keeps a session in `<home>/sessions`, readable by its owner alone; one a platform. */
export async function keepSession(home: string, session: KeptSession): Promise<void> {
  await writeSecretFile(pathOf(home, session.platform), `${JSON.stringify(session, null, 2)}\n`)
}

/** The session at a platform; undefined where there is none, or its file holds something else. */
export async function readSession(home: string, platform: string): Promise<KeptSession | undefined> {
  const text = await readFile(pathOf(home, platform), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : asSession(text, platform)
}

/** Whether it has not ended by itself. */
export function isLive({ expiresAt }: KeptSession): boolean {
  return expiresAt * 1_000 > systemClock.nowMs()
}

/** Forgets the session at a platform. */
export async function forgetSession(home: string, platform: string): Promise<void> {
  await rm(pathOf(home, platform), { force: true })
}

function pathOf(home: string, platform: string): string {
  const name = createHash('sha256').update(platform).digest('hex').slice(0, 32)
  return join(home, 'sessions', `${name}.json`)
}

function asSession(text: string, wanted: string): KeptSession | undefined {
  const { version, platform, address, token, expiresAt } = objectOf(parseJson(text))
  if (version !== 1 || platform !== wanted || typeof address !== 'string') return undefined
  // It goes into a header: what could break one is no token of a platform.
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,500}$/.test(token)) return undefined
  return typeof expiresAt === 'number' ? { version, platform, address, token, expiresAt } : undefined
}
