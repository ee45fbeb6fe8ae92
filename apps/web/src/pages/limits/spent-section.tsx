import type { SpendLine, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import type { ReactNode } from 'react'
import { longestDecimals, withCents } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { FailureNote } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Transaction } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { Sign } from '../../signs/sign.tsx'
import { type RefusedSpend, failedOfBrowser, failedOfWallet, findRefused } from './refused-spends.ts'
import { answers } from '../../site/answers.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { Table } from '../../parts/table.tsx'

/** The transfers that agents made, each with its transaction, and refused transfers, each with its reason. */
export function SpentSection(props: {
  readonly limits: WalletLimits
  readonly failed: PayerJobs['jobs'] | null
}): ReactNode {
  const { limits, failed } = props
  const { spends, total, refused, failure, more } = useSpent(limits, failed)
  const isEmpty = spends !== undefined && spends.length === 0 && refused.length === 0
  // No permission was ever set, so there is nothing to show.
  if (limits.permissions.length === 0 && (isEmpty || spends === undefined)) return null
  return (
    <section className="spent">
      <Heading end={total > 0 && `${total} total`}>Spending</Heading>
      {failure !== undefined && <FailureNote error={failure} />}
      {isEmpty ? (
        <p className="quiet">No spending yet.</p>
      ) : (
        <SpendingTable rows={rowsOf(spends ?? [], refused, more !== undefined)} />
      )}
      {more !== undefined && (
        <p className="row">
          <button type="button" className="button low" onClick={more}>
            Show more
          </button>
        </p>
      )}
      <p className="small quiet">
        {refused.length > 0 ? 'You were not charged for refused jobs. They' : 'Refused transfers'} are not
        recorded on-chain, so this list takes them from the jobs{' '}
        {failed === null ? (
          <>
            in this browser. <a href="/sign-in?next=/limits">Sign in</a> to include your wallet’s jobs.
          </>
        ) : (
          'of the signed-in wallet.'
        )}
      </p>
    </section>
  )
}

/** A row of the list: a transfer of tokens, or a refused job. */
interface SpendingRow {
  readonly key: string
  /** Unix seconds. */
  readonly at: number
  readonly agentName: string
  readonly capability: string
  /** Decimal USDC; undefined when it is not known. */
  readonly amount: string | undefined
  readonly isRefused: boolean
  /** The transaction; for a refusal, the reason with a link to the job. */
  readonly transfer: ReactNode
}

/**
 * Sorts the rows, the newest first. Refusals older than the oldest spend read so far are shown with the page they belong to.
 */
function rowsOf(
  spends: readonly SpendLine[],
  refused: readonly RefusedSpend[],
  isCut: boolean,
): readonly SpendingRow[] {
  const oldest = isCut ? (spends.at(-1)?.at ?? 0) : 0
  const rows = [...spends.map(rowOfSpend), ...refused.filter(({ at }) => at >= oldest).map(rowOfRefused)]
  return rows.toSorted((one, other) => other.at - one.at)
}

function rowOfSpend(spend: SpendLine): SpendingRow {
  const { at, agent_id: id, agent_name: name, capability, amount, transaction, to, permission } = spend
  return {
    key: `${transaction} ${to} ${amount} ${permission}`,
    at,
    agentName: name ?? `Agent ${id}`,
    capability,
    amount: withCents(amount),
    isRefused: false,
    transfer: <Transaction of={transaction} />,
  }
}

function rowOfRefused(refused: RefusedSpend): SpendingRow {
  const { at, agentName, capability, amount, error, jobId, token } = refused
  const transfer = (
    <>
      <Words of={error} most={160} />{' '}
      <a href={`/jobs/${jobId}${token === undefined ? '' : `#t=${token}`}`}>Job</a>
    </>
  )
  return { key: jobId, at, agentName, capability, amount, isRefused: true, transfer }
}

function SpendingTable({ rows }: { readonly rows: readonly SpendingRow[] }): ReactNode {
  const decimals = longestDecimals(rows.map(({ amount }) => amount ?? ''))
  return (
    <Table
      className="cards spent-table"
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { head: 'When', className: 'nowrap', cell: ({ at }) => <When at={at} /> },
        {
          head: 'Agent',
          cell: ({ agentName, capability }) => (
            <>
              <Words of={agentName} most={64} />{' '}
              <span className="mono small faint">
                <Words of={capability} most={64} />
              </span>
            </>
          ),
        },
        {
          head: 'USDC',
          look: 'num',
          cell: ({ amount, isRefused }) => {
            if (amount === undefined) return '–'
            const shown = <Amount of={amount} decimals={decimals} />
            return isRefused ? shown : <b>{shown}</b>
          },
        },
        {
          head: 'Outcome',
          cell: ({ isRefused }) => (
            <span className={isRefused ? 'tag refused' : 'tag paid'}>
              <Sign name={isRefused ? 'cross' : 'check'} /> {isRefused ? 'refused' : 'spent'}
            </span>
          ),
        },
        { head: 'Transfer', className: 'small', cell: ({ transfer }) => transfer },
      ]}
    />
  )
}

/** The spends and refusals read so far. */
interface Spent {
  /** Undefined until they have been read. */
  readonly spends: readonly SpendLine[] | undefined
  readonly total: number
  readonly refused: readonly RefusedSpend[]
  readonly failure: unknown
  /** Reads the next older spends; undefined when there are none. */
  readonly more: (() => void) | undefined
}

/** Reads the spends of a wallet page by page, and again when its limits have changed. */
function useSpent(limits: WalletLimits, failed: PayerJobs['jobs'] | null): Spent {
  const { ask } = useSite()
  const { address } = limits
  const path = `/v1/limits/${address}/spends`
  const spentInAll = limits.permissions.reduce((sum, { spent }) => sum + BigInt(spent), 0n).toString()
  const {
    answer: pages,
    failure,
    more,
  } = useRead(`${address} ${spentInAll}`, async signal => await ask(path, answers.walletSpends, { signal }), {
    keeps: true,
  })
  const { answer: refused } = useRead(address, async () => {
    const jobs =
      failed === null
        ? failedOfBrowser(await (await import('../../kept/order-store.ts')).listOrders(), address)
        : failedOfWallet(failed)
    return await findRefused(ask, jobs)
  })
  const cursor = pages?.next_cursor ?? null
  return {
    spends: pages?.spends,
    total: pages?.total ?? 0,
    refused: refused ?? [],
    failure,
    more:
      pages === undefined || cursor === null
        ? undefined
        : () =>
            more(async signal => {
              const query = `?cursor=${encodeURIComponent(cursor)}`
              const next = await ask(path + query, answers.walletSpends, { signal })
              return { ...next, spends: [...pages.spends, ...next.spends] }
            }),
  }
}
