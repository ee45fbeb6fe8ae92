import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { longestDecimals } from '../format/amount.ts'
import { formatDuration } from '../format/duration.ts'
import { Amount } from '../parts/amount.tsx'
import { Hash } from '../parts/short.tsx'
import { When } from '../parts/when.tsx'
import { Sign, type SignName } from '../signs/sign.tsx'
import { cutText } from '../format/cut-text.ts'
import { Table, type Column } from '../parts/table.tsx'

/** Jobs of an owner's agents: time, capability, outcome, amount. Inputs and outputs are not shown. */
export function JobsTable(props: {
  readonly label: string
  readonly jobs: readonly OwnerJobLine[]
  /** Names of the agents by number, if the jobs belong to several agents. */
  readonly agents?: ReadonlyMap<number, string>
}): ReactNode {
  const { label, jobs, agents } = props
  const decimals = longestDecimals(jobs.filter(isPaidOrOpen).map(({ amount }) => amount))
  const agent: Column<OwnerJobLine> = {
    head: 'Agent',
    className: 'name cut',
    cell: ({ agent_id: id }) => (
      <a className="plain" href={`/owner/agents/${id}`}>
        <bdi>{agents?.get(id) ?? `No. ${id}`}</bdi>
      </a>
    ),
  }
  return (
    <Table
      scrollsAs={label}
      className={agents === undefined ? 'owner-jobs' : 'owner-jobs several'}
      rows={jobs}
      keyOf={job => job.job_id}
      columns={[
        { head: 'Time', className: 'nowrap', cell: job => <When at={job.created_at} /> },
        { head: 'Job', className: 'nowrap', cell: job => <Hash of={job.job_id} /> },
        agents !== undefined && agent,
        { head: 'Capability', className: 'name cut', cell: job => <bdi>{job.capability}</bdi> },
        { head: 'Outcome', cell: job => <OutcomeTag job={job} /> },
        {
          head: 'Duration',
          look: 'num',
          cell: ({ elapsed_ms: ms }) => (ms === null ? '' : formatDuration(ms)),
        },
        {
          head: 'USDC',
          look: 'num',
          cell: job =>
            isPaidOrOpen(job) && (
              <b className={job.charged === true ? undefined : 'open'}>
                <Amount of={job.amount} decimals={decimals} />
              </b>
            ),
        },
      ]}
    />
  )
}

/** Whether the amount was charged or still may be; other amounts are not shown. */
function isPaidOrOpen({ charged }: OwnerJobLine): boolean {
  return charged !== false
}

/** The outcome of a job for the owner of its agent: a word and a sign, with a colour for exceptional outcomes. */
function OutcomeTag({ job }: { readonly job: OwnerJobLine }): ReactNode {
  const { tone, sign, words } = describeOutcome(job)
  return (
    <span className={`tag ${tone}`}>
      <Sign name={sign} />
      <bdi>{words}</bdi>
    </span>
  )
}

/** Short words for failures that the agent itself reports; other failures are named by their type. */
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
