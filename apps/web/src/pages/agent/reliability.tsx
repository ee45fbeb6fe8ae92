import type { AgentPage } from '@farebox/platform-api/agent'
import type { AgentBadge } from '@farebox/platform-api/badges'
import type { HealthDays } from '@farebox/platform-api/monitor'
import type { ReactNode } from 'react'
import { formatSpan } from '../../format/duration.ts'
import { formatCount, formatShare } from '../../format/share.ts'
import { Address } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { useSite } from '../../site/site.ts'
import { Sign } from '../../signs/sign.tsx'
import { DayStrip } from './day-strip.tsx'

/** Whether an agent can be relied on: its days, what its badge rests on, who stands behind it. */
export function Reliability(props: {
  readonly agent: AgentPage
  readonly badge: AgentBadge | null
  readonly days: HealthDays | null
}): ReactNode {
  const { agent, badge, days } = props
  const { platform } = useSite()
  return (
    <section id="reliability">
      <div className="heading">
        <h2>Reliability</h2>
        <span className="end">checked every {formatSpan(platform.check_interval_seconds)}</span>
      </div>
      {days !== null && <DayStrip days={days} />}
      <div className="two apart">
        {badge === null ? <div /> : <BadgeTable badge={badge} health={agent.health} />}
        <Behind agent={agent} />
      </div>
    </section>
  )
}

const RULES: { readonly [rule in AgentBadge['rules'][number]['rule']]: string } = {
  'about-passes': 'Its declaration is read',
  'health-passes': 'It answers checks',
  'uptime-7-days': 'Up, 7 days',
  'uptime-30-days': 'Up, 30 days',
  'paid-jobs': 'Paid jobs, ten a payer at most',
  'success-bound': 'Went well, at least (95 %)',
}

/** Each rule of the badge with its figure; of the next badge those that are missing. */
function BadgeTable(props: { readonly badge: AgentBadge; readonly health: AgentPage['health'] }): ReactNode {
  const { badge, health } = props
  const missing = badge.rules.find(({ passes }) => !passes)?.badge
  const shown = badge.rules.filter(rule => rule.passes || rule.badge === missing)
  const newest = new Map(shown.map(rule => [`${rule.rule} ${rule.passes}`, rule]))
  return (
    <div>
      <h3>{badge.badge_shown === 'none' ? 'Why it has no badge' : `Why it is ${badge.badge_shown}`}</h3>
      <table className="rules">
        <tbody>
          {[...newest.values()].map(rule => (
            <tr key={`${rule.badge} ${rule.rule}`}>
              <td className={rule.passes ? undefined : 'quiet'}>
                {!rule.passes && `For ${rule.badge}: `}
                {RULES[rule.rule]}
              </td>
              <td className="num">
                <b>{writeValue(rule, health)}</b>
              </td>
              <td className="num quiet">
                {writeNeeded(rule)}{' '}
                {rule.passes ? (
                  <span className="good">
                    <Sign name="check" />
                    <span className="unseen">reached</span>
                  </span>
                ) : (
                  <span className="unseen">not reached</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Rule = AgentBadge['rules'][number]

/** Of a span that is not over, what has been seen of it. */
function writeValue({ rule, value }: Rule, health: AgentPage['health']): string {
  if (value === null) {
    const seen = rule === 'uptime-7-days' ? health?.uptime_7d : health?.uptime_30d
    const isUptime = rule === 'uptime-7-days' || rule === 'uptime-30-days'
    return !isUptime || seen === null || seen === undefined ? 'not known yet' : `${formatShare(seen)} so far`
  }
  if (rule === 'about-passes' || rule === 'health-passes') return value >= 1 ? 'yes' : 'no'
  return rule === 'paid-jobs' ? formatCount(value) : formatShare(value)
}

function writeNeeded({ rule, value, needed }: Rule): string {
  if (rule === 'about-passes' || rule === 'health-passes') return 'needed'
  if (rule === 'paid-jobs') return `needs ${formatCount(needed)}`
  const least = `needs ${formatShare(needed, 1).replace('.0', '')}`
  if (value !== null) return least
  return rule === 'uptime-7-days'
    ? `${least} after 7 days`
    : rule === 'uptime-30-days'
      ? `${least} after 30 days`
      : least
}

function Behind({ agent }: { readonly agent: AgentPage }): ReactNode {
  const { owner, wallet, endpoint, registered_at: since, stake, last_trial: trial } = agent
  return (
    <div>
      <h3>Who stands behind it</h3>
      <dl className="facts-list">
        <dt>Owner</dt>
        <dd>
          <Address of={owner} />
          {stake !== null && ` staked ${formatEther(stake.amount_wei)} ETH`}
        </dd>
        <dt>Paid at</dt>
        <dd>
          {wallet === null ? (
            'nowhere: it serves no declaration'
          ) : wallet === owner ? (
            'the same wallet, proven'
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
          <span className="quiet">a job that the platform orders and pays to try it: </span>
          {trial === null ? (
            'none so far'
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

/** Wei as ether, exactly. */
function formatEther(wei: string): string {
  const digits = wei.padStart(19, '0')
  const decimals = digits.slice(-18).replace(/0+$/, '')
  return decimals === '' ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${decimals}`
}
