import type { SpendLine, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import type { ReactNode } from 'react'
import { longestDecimals, withCents } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { FailureNote } from '../../parts/note.tsx'
import { Transaction } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { Sign } from '../../signs/sign.tsx'
import { type RefusedSpend, failedOfBrowser, failedOfWallet, findRefused } from './refused-spends.ts'
import { answers } from '../../site/answers.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { TableHead } from '../../parts/table.tsx'

/** What agents moved, each with its transaction, and what was refused, each with its reason. */
export function SpentSection(props: {
  readonly limits: WalletLimits
  readonly failed: PayerJobs['jobs'] | null
}): ReactNode {
  const { limits, failed } = props
  const { spends, total, refused, failure, more } = useSpent(limits, failed)
  const isEmpty = spends !== undefined && spends.length === 0 && refused.length === 0
  // Nothing was ever permitted: there is nothing to show.
  if (limits.permissions.length === 0 && (isEmpty || spends === undefined)) return null
  return (
    <section className="spent">
      <div className="heading">
        <h2>Spending</h2>
        <span className="end">{total > 0 && `${total} total`}</span>
      </div>
      {failure !== undefined && <FailureNote error={failure} />}
      {isEmpty ? (
        <p className="quiet">No spending yet.</p>
      ) : (
        <Table lines={linesOf(spends ?? [], refused, more !== undefined)} />
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

type Line =
  | { readonly kind: 'spent'; readonly at: number; readonly of: SpendLine }
  | { readonly kind: 'refused'; readonly at: number; readonly of: RefusedSpend }

/** The newest first; what was refused before the oldest spend that was read comes with its page. */
function linesOf(
  spends: readonly SpendLine[],
  refused: readonly RefusedSpend[],
  isCut: boolean,
): readonly Line[] {
  const oldest = isCut ? (spends.at(-1)?.at ?? 0) : 0
  const lines: Line[] = [
    ...spends.map(of => ({ kind: 'spent', at: of.at, of }) as const),
    ...refused.filter(({ at }) => at >= oldest).map(of => ({ kind: 'refused', at: of.at, of }) as const),
  ]
  return lines.toSorted((one, other) => other.at - one.at)
}

function Table({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  const amounts = lines.map(({ of }) => ('jobId' in of ? (of.amount ?? '') : withCents(of.amount)))
  const decimals = longestDecimals(amounts)
  return (
    <table className="spent-table">
      <TableHead of={['When', 'Agent', ['USDC', 'num'], 'Outcome', 'Transfer']} />
      <tbody>
        {lines.map(line =>
          line.kind === 'spent' ? (
            <tr key={`${line.of.transaction} ${line.of.to} ${line.of.amount} ${line.of.permission}`}>
              <At at={line.at} />
              <Who name={line.of.agent_name ?? `Agent ${line.of.agent_id}`} capability={line.of.capability} />
              <td className="num">
                <b>
                  <Amount of={withCents(line.of.amount)} decimals={decimals} />
                </b>
              </td>
              <td>
                <span className="tag paid">
                  <Sign name="check" /> spent
                </span>
              </td>
              <td className="small">
                <Transaction of={line.of.transaction} />
              </td>
            </tr>
          ) : (
            <RefusedRow key={line.of.jobId} refused={line.of} decimals={decimals} />
          ),
        )}
      </tbody>
    </table>
  )
}

function RefusedRow({
  refused,
  decimals,
}: {
  readonly refused: RefusedSpend
  readonly decimals: number
}): ReactNode {
  const { at, agentName, capability, amount, error, jobId, token } = refused
  return (
    <tr>
      <At at={at} />
      <Who name={agentName} capability={capability} />
      <td className="num">{amount === undefined ? '–' : <Amount of={amount} decimals={decimals} />}</td>
      <td>
        <span className="tag refused">
          <Sign name="cross" /> refused
        </span>
      </td>
      <td className="small">
        <Words of={error} most={160} />{' '}
        <a href={`/jobs/${jobId}${token === undefined ? '' : `#t=${token}`}`}>Job</a>
      </td>
    </tr>
  )
}

function At({ at }: { readonly at: number }): ReactNode {
  return (
    <td className="nowrap">
      <When at={at} />
    </td>
  )
}

function Who({ name, capability }: { readonly name: string; readonly capability: string }): ReactNode {
  return (
    <td>
      <Words of={name} most={64} />{' '}
      <span className="mono small faint">
        <Words of={capability} most={64} />
      </span>
    </td>
  )
}

/** What was spent and what was refused, as far as it was read. */
interface Spent {
  /** Undefined: not read so far. */
  readonly spends: readonly SpendLine[] | undefined
  readonly total: number
  readonly refused: readonly RefusedSpend[]
  readonly failure: unknown
  /** Reads the spends before these; undefined: there are none. */
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
