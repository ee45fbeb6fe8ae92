import { useState, type ReactNode } from 'react'
import { fromAtomic, groupDigits, toAtomic } from '../../format/amount.ts'
import { formatCount } from '../../format/share.ts'
import { Figure } from '../../owner/figures.tsx'
import { Bones, FailureNote } from '../../parts/note.tsx'
import { Switch } from '../../parts/switch.tsx'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { answers } from '../../site/answers.ts'
import type { PageModule } from '../../site/page.ts'
import { JobTable } from './job-table.tsx'
import type { OrderEntry, Mine } from './order-entries.ts'
import { KINDS, sumJobs } from './sum-jobs.ts'
import { useJobs } from './use-jobs.ts'
import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'

type Filter = 'all' | 'paid' | 'free' | 'open'

interface Data {
  /** The jobs and runs of the signed-in wallet; null when the reader is signed out. */
  readonly mine: (Mine & { readonly address: string }) | null
}

/** The jobs and runs ordered in this browser or by the signed-in wallet. */
export const page: PageModule<Data> = {
  load: async ({ ask }) => ({
    mine: await loadSignedIn(async () => {
      const [{ address }, { jobs }, { runs }] = await Promise.all([
        ask('/v1/me', answers.me),
        ask('/v1/me/jobs?limit=100', answers.payerJobs),
        ask('/v1/me/runs?limit=100', answers.runs),
      ])
      return { address, jobs, runs }
    }),
  }),
  head: () => ({ title: 'Jobs', hidden: true, personal: true }),
  Page: JobsPage,
}

const KEEPS: { readonly [filter in Filter]: (one: OrderEntry) => boolean } = { all: () => true, ...KINDS }

function JobsPage({ data: { mine } }: { readonly data: Data }): ReactNode {
  const { jobs, payers, failure } = useJobs(mine ?? NONE)
  const wallets = mine === null ? payers : [...new Set([mine.address, ...payers])]
  const isSignedIn = mine !== null
  const [filter, setFilter] = useState<Filter>('all')
  const shown = (jobs ?? []).filter(KEEPS[filter])
  return (
    <main id="main" className="page">
      <div className="head">
        <div>
          <h1>Jobs</h1>
          <p className="lede">
            Jobs you ordered in this browser
            {isSignedIn ? ', and jobs you ordered elsewhere with your wallet.' : '.'}{' '}
            {!isSignedIn && (
              <>
                <a href="/sign-in?next=/jobs">Sign in</a> to see the jobs you ordered elsewhere with your
                wallet.
              </>
            )}
          </p>
        </div>
        <Switch
          label="Filter jobs"
          value={filter}
          choices={[
            ['all', 'All'],
            ['paid', 'Paid'],
            ['free', 'Not charged'],
            ['open', 'Open'],
          ]}
          onChange={setFilter}
        />
      </div>
      <noscript>
        <p className="lede">JavaScript is off. Turn it on to see your jobs.</p>
      </noscript>
      {failure !== undefined && <FailureNote error={failure} />}
      {jobs !== undefined && jobs.length > 0 && <JobFigures jobs={jobs} wallets={wallets} />}
      {jobs === undefined ? (
        <Bones />
      ) : shown.length === 0 ? (
        <NoJobs isFiltered={jobs.length > 0} />
      ) : (
        <JobTable jobs={shown} />
      )}
    </main>
  )
}

const NONE: Mine = { jobs: [], runs: [] }

function JobFigures(props: {
  readonly jobs: readonly OrderEntry[]
  readonly wallets: readonly string[]
}): ReactNode {
  const { jobs, wallets } = props
  const { paid, free, open, ordered } = sumJobs(jobs)
  const moved = useMoved(wallets)
  return (
    <dl className="figures four">
      <Figure name="Spent" below={<SpentNote paid={paid.amount} moved={moved} />}>
        {groupDigits(fromAtomic((toAtomic(paid.amount) ?? 0n) + (moved ?? 0n)))} <span>USDC</span>
      </Figure>
      <Figure name="Paid jobs and runs" below={`of ${formatCount(ordered)} ordered`}>
        {formatCount(paid.count)}
      </Figure>
      <Figure
        name="Not charged"
        below={free.count === 0 ? 'none yet' : `${groupDigits(free.amount)} USDC not spent`}
      >
        {formatCount(free.count)}
      </Figure>
      <Figure
        name="Open now"
        below={open.count === 0 ? 'nothing in progress' : `up to ${groupDigits(open.amount)} USDC`}
      >
        {formatCount(open.count)}
      </Figure>
    </dl>
  )
}

/** The parts of the sum: the prices of jobs, and the transfers of agents if they are known. */
function SpentNote(props: { readonly paid: string; readonly moved: bigint | undefined }): ReactNode {
  const { paid, moved } = props
  if (moved === undefined) return 'for jobs, confirmed on-chain'
  if (moved === 0n) return 'confirmed on-chain'
  return (
    <>
      {groupDigits(paid)} for jobs, <a href="/limits">{groupDigits(fromAtomic(moved))} spent by agents</a>
    </>
  )
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return (
    <div className="void beneath">
      <b>{isFiltered ? 'No matching jobs' : 'No jobs yet'}</b>
      <span>
        {isFiltered
          ? 'Choose “All” to see every job.'
          : 'Jobs and runs will appear here as soon as you order them, even before they are sent.'}
      </span>
      {!isFiltered && <a href="/">Find an agent</a>}
    </div>
  )
}

/** The most wallets that are queried; a browser usually orders with only a few. */
const MOST_WALLETS = 5

/**
 * The USDC that agents moved from these wallets within their limits, as recorded on the chain, in atomic units; 0 when
 * nothing can be moved on this chain. Undefined while it has not been read, and when the chain does not answer.
 *
 * @param wallets addresses, each once
 */
function useMoved(wallets: readonly string[]): bigint | undefined {
  const { ask, platform } = useSite()
  const asked = wallets.slice(0, MOST_WALLETS)
  const isThere = platform.spend_permissions_address !== null && asked.length > 0
  // If this fails, the page says that its figure only includes jobs.
  const { answer: moved } = useRead(
    isThere ? asked.join(',') : undefined,
    async signal => {
      const limits = await Promise.all(
        asked.map(wallet => ask(`/v1/limits/${wallet}`, answers.walletLimits, { signal })),
      )
      return limits.reduce((sum, one) => sum + sumSpent(one), 0n)
    },
    { keeps: true },
  )
  return isThere ? moved : 0n
}

/** The amount spent in the token in which jobs are paid. */
function sumSpent({ permissions, token }: WalletLimits): bigint {
  return permissions
    .filter(permission => permission.token === token.address)
    .reduce((sum, { spent }) => sum + BigInt(spent), 0n)
}
