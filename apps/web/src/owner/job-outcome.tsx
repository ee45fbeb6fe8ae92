import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { Sign, type SignName } from '../signs/sign.tsx'
import { cutText } from '../format/cut-text.ts'

/** What became of a job, for the owner of its agent: a word, a sign, and a colour where it is an exception. */
export function JobOutcome({ job }: { readonly job: OwnerJobLine }): ReactNode {
  const { tone, sign, words } = describeOutcome(job)
  return (
    <span className={`tag ${tone}`}>
      <Sign name={sign} />
      <bdi>{words}</bdi>
    </span>
  )
}

/** What an agent's own failure is called in a few words; others are called by their type. */
const FAILURES: { readonly [type: string]: string } = {
  payment: 'not paid',
  validation: 'input refused',
  internal: 'agent failed',
  agent: 'agent failed',
  unavailable: 'unavailable',
}

const MOST_CHARACTERS = 24

function describeOutcome({ status, charged, error_type: type }: OwnerJobLine): {
  readonly tone: string
  readonly sign: SignName
  readonly words: string
} {
  switch (status) {
    case 'sent':
      return { tone: '', sign: 'clock', words: 'running' }
    case 'pending':
      return { tone: 'warn', sign: 'clock', words: 'settling' }
    case 'completed':
      return { tone: 'paid', sign: 'check', words: 'paid' }
    case 'expired':
      return charged === null
        ? { tone: 'warn', sign: 'clock', words: 'no response yet' }
        : { tone: 'refused', sign: 'cross', words: charged ? 'no response, paid' : 'no response' }
    case 'failed': {
      const words =
        type === null ? 'failed' : (FAILURES[type] ?? cutText(type.replaceAll('_', ' '), MOST_CHARACTERS))
      return { tone: 'refused', sign: 'cross', words: charged === true ? `${words}, paid` : words }
    }
  }
}
