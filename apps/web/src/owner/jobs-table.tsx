import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { longestDecimals } from '../format/amount.ts'
import { formatDuration } from '../format/duration.ts'
import { Amount } from '../parts/amount.tsx'
import { Hash } from '../parts/short.tsx'
import { When } from '../parts/when.tsx'
import { Sign, type SignName } from '../signs/sign.tsx'
import { cutText } from '../format/cut-text.ts'
import { TableHead } from '../parts/table.tsx'

/** Jobs of an owner's agents: when, what, what became of it, for how much. Nothing of what was in them. */
export function JobsTable(props: {
  readonly label: string
  readonly jobs: readonly OwnerJobLine[]
  /** Names of the agents by their numbers, where the jobs are of several. */
  readonly agents?: ReadonlyMap<number, string>
}): ReactNode {
  const { label, jobs, agents } = props
  const decimals = longestDecimals(jobs.filter(isPaidOrOpen).map(({ amount }) => amount))
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table className={agents === undefined ? 'owner-jobs' : 'owner-jobs several'}>
        <TableHead
          of={[
            'Time',
            'Job',
            agents !== undefined && 'Agent',
            'Capability',
            'Outcome',
            ['Duration', 'num'],
            ['USDC', 'num'],
          ]}
        />
        <tbody>
          {jobs.map(job => (
            <tr key={job.job_id}>
              <td className="nowrap">
                <When at={job.created_at} />
              </td>
              <td className="nowrap">
                <Hash of={job.job_id} />
              </td>
              {agents !== undefined && (
                <td className="name">
                  <a href={`/owner/agents/${job.agent_id}`}>
                    <bdi>{agents.get(job.agent_id) ?? `No. ${job.agent_id}`}</bdi>
                  </a>
                </td>
              )}
              <td className="name">
                <bdi>{job.capability}</bdi>
              </td>
              <td>
                <JobOutcome job={job} />
              </td>
              <td className="num">{job.elapsed_ms === null ? '' : formatDuration(job.elapsed_ms)}</td>
              <td className="num">
                {isPaidOrOpen(job) && (
                  <b className={job.charged === true ? undefined : 'open'}>
                    <Amount of={job.amount} decimals={decimals} />
                  </b>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** An amount that was not charged and will not be is not shown: it was nobody's. */
function isPaidOrOpen({ charged }: OwnerJobLine): boolean {
  return charged !== false
}

/** What became of a job, for the owner of its agent: a word, a sign, and a colour where it is an exception. */
function JobOutcome({ job }: { readonly job: OwnerJobLine }): ReactNode {
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
