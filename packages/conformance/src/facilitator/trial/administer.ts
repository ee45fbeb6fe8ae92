import { randomUUID } from 'node:crypto'
import { trialSignal, type SubjectRequest, type Subject } from './subject.ts'

/** The part of a trial that is needed to administer a facilitator's secrets. */
export interface Administered {
  readonly subject: Pick<Subject, 'url' | 'adminToken' | 'signal'>
}

const ANSWER_MS = 10_000

/** A request that sends this secret. */
export const bearer = (secret: string): SubjectRequest => ({ authorization: `Bearer ${secret}` })

/** Creates a secret with a separate owner. Rejects when none was created. */
export async function makeTrialSecret(
  trial: Administered,
  wallets: readonly string[],
): Promise<{ readonly id: string; readonly secret: string; readonly owner: string }> {
  const owner = `rules ${randomUUID()}`
  const { text } = await administer(trial, 'POST', '/secrets', { owner, wallets })
  const made = JSON.parse(text) as { id: string; secret: string }
  return { ...made, owner }
}

/**
 * Calls the administration API for secrets. Rejects when there is no response within 10 s, and when the trial's signal
 * aborts.
 */
export async function administer(
  { subject }: Administered,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(subject.url + path, {
    method,
    headers: { authorization: `Bearer ${subject.adminToken ?? ''}` },
    ...(body && { body: JSON.stringify(body) }),
    signal: trialSignal(subject, ANSWER_MS),
  })
  return { status: answer.status, text: await answer.text() }
}
