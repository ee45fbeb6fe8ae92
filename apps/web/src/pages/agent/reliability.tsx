import type { AgentPage } from '@farebox/platform-api/agent'
import type { AgentBadge } from '@farebox/platform-api/badges'
import type { HealthDays } from '@farebox/platform-api/monitor'
import type { ReactNode } from 'react'
import { formatEther } from '../../format/amount.ts'
import { formatSpan } from '../../format/duration.ts'
import { formatCount, formatShare } from '../../format/share.ts'
import { Heading } from '../../parts/page/heading.tsx'
import { Address } from '../../parts/short.tsx'
import { isWatchedFor } from '../../parts/standing.tsx'
import { Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useSite } from '../../site/site.ts'
import { Sign } from '../../signs/sign.tsx'
import { DayStrip } from './day-strip.tsx'

/** The record of an agent: its checks by day, the rules of its badge, its owner. */
export function Reliability(props: {
  readonly agent: AgentPage
  readonly badge: AgentBadge | null
  readonly days: HealthDays | null
}): ReactNode {
  const { agent, badge, days } = props
  const { platform } = useSite()
  return (
    <section id="reliability">
      <Heading end={`checked every ${formatSpan(platform.check_interval_seconds)}`}>Reliability</Heading>
      {days !== null && <DayStrip days={days} />}
      <div className="two beneath">
        {badge === null ? <div /> : <BadgeRules badge={badge} health={agent.health} />}
        <Ownership agent={agent} />
      </div>
    </section>
  )
}

const RULES: { readonly [rule in AgentBadge['rules'][number]['rule']]: string } = {
  'about-passes': 'Declaration check passes',
  'health-passes': 'Health checks pass',
  'uptime-7-days': 'Uptime, 7 days',
  'uptime-30-days': 'Uptime, 30 days',
  'paid-jobs': 'Paid jobs (up to 10 per payer)',
  'success-bound': 'Success rate (95% lower bound)',
}

/** The rules of the badge with their figures; of the next badge only the rules that are not met. */
function BadgeRules(props: { readonly badge: AgentBadge; readonly health: AgentPage['health'] }): ReactNode {
  const { badge, health } = props
  const { now } = useSite()
  const missing = badge.rules.find(({ passes }) => !passes)?.badge
  const shown = badge.rules.filter(rule => rule.passes || rule.badge === missing)
  const newest = new Map(shown.map(rule => [`${rule.rule} ${rule.passes}`, rule]))
  const soFarOf = (rule: Rule): number | undefined => seenSoFar(rule, health, now)
  return (
    <div>
      <h3>
        {badge.badge_shown === 'none' ? 'Requirements for a badge' : `Requirements for ${badge.badge_shown}`}
      </h3>
      <Table
        className="rules"
        rows={[...newest.values()]}
        keyOf={({ badge: of, rule }) => `${of} ${rule}`}
        columns={[
          { cell: rule => <RuleName rule={rule} /> },
          { look: 'num', cell: rule => <b>{writeValue(rule, soFarOf(rule))}</b> },
          { className: 'num quiet', cell: rule => <RuleNeeds rule={rule} soFar={soFarOf(rule)} /> },
        ]}
      />
    </div>
  )
}

function RuleName({ rule: { badge, rule, passes } }: { readonly rule: Rule }): ReactNode {
  return passes ? (
    RULES[rule]
  ) : (
    <span className="quiet">
      For {badge}: {RULES[rule]}
    </span>
  )
}

/** The value that a rule needs, and whether the rule is met. */
function RuleNeeds(props: { readonly rule: Rule; readonly soFar: number | undefined }): ReactNode {
  const { rule, soFar } = props
  return (
    <>
      {writeNeeded(rule, soFar)}{' '}
      {rule.passes ? (
        <span className="good">
          <Sign name="check" />
          <span className="unseen">met</span>
        </span>
      ) : (
        <span className="unseen">not met</span>
      )}
    </>
  )
}

type Rule = AgentBadge['rules'][number]

const SPANS: { readonly [rule in Rule['rule']]?: number } = { 'uptime-7-days': 7, 'uptime-30-days': 30 }

/** The uptime of a period that is not over yet. Undefined when the period is over or the rule has none. */
function seenSoFar({ rule, value }: Rule, health: AgentPage['health'], now: number): number | undefined {
  const days = SPANS[rule]
  if (days === undefined || value !== null || health === null) return undefined
  if (isWatchedFor(days, health.watched_since, now)) return undefined
  return (days === 7 ? health.uptime_7d : health.uptime_30d) ?? undefined
}

function writeValue({ rule, value }: Rule, soFar: number | undefined): string {
  if (soFar !== undefined) return `${formatShare(soFar)} so far`
  if (value === null) return 'not known yet'
  if (rule === 'about-passes' || rule === 'health-passes') return value >= 1 ? 'yes' : 'no'
  return rule === 'paid-jobs' ? formatCount(value) : formatShare(value)
}

function writeNeeded({ rule, needed }: Rule, soFar: number | undefined): string {
  if (rule === 'about-passes' || rule === 'health-passes') return 'required'
  const least = rule === 'paid-jobs' ? formatCount(needed) : formatShare(needed, 1).replace('.0', '')
  return `needs ${least}${soFar === undefined ? '' : ` over ${SPANS[rule]} days`}`
}

function Ownership({ agent }: { readonly agent: AgentPage }): ReactNode {
  const { owner, wallet, endpoint, registered_at: since, stake, last_trial: trial } = agent
  return (
    <div>
      <h3>Ownership</h3>
      <dl className="facts-list">
        <dt>Owner</dt>
        <dd>
          <Address of={owner} />
          {stake !== null && ` staked ${formatEther(stake.amount_wei)} ETH`}
        </dd>
        <dt>Paid to</dt>
        <dd>
          {wallet === null ? (
            'no wallet, because it does not publish a declaration'
          ) : wallet === owner ? (
            'the same wallet, verified'
          ) : (
            <Address of={wallet} />
          )}
        </dd>
        <dt>Endpoint</dt>
        <dd>{endpoint === null ? 'not shown' : <span className="mono">{endpoint}</span>}</dd>
        <dt>Registered</dt>
        <dd>
          <When at={since} form="date" />, No. {agent.agent_id}
        </dd>
        <dt>Trial job</dt>
        <dd>
          <span className="quiet">a test job that the platform orders and pays for: </span>
          {trial === null ? (
            'none yet'
          ) : (
            <>
              {trial.outcome === 'ok' ? 'passed' : trial.outcome} <When at={trial.at} />
              {trial.reason !== null && `: ${trial.reason}`}
            </>
          )}
        </dd>
      </dl>
    </div>
  )
}
