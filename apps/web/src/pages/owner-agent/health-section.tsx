import type { AgentHealth } from '@farebox/platform-api/monitor'
import type { ReactNode } from 'react'
import { CheckAgain } from '../../owner/agents/check-again.tsx'
import { HourStrip, type Hour } from '../../owner/hour-strip.tsx'
import { formatDuration, formatSpan } from '../../format/duration.ts'
import { formatShare } from '../../format/share.ts'
import { Heading } from '../../parts/page/heading.tsx'
import { isWatchedFor, UptimeSince } from '../../parts/standing.tsx'
import { When } from '../../parts/when.tsx'
import { useSite } from '../../site/site.ts'

const FAILURES: { readonly [reason in NonNullable<AgentHealth['last_failure']>]: string } = {
  'refused-address': 'this platform does not allow its address',
  unreachable: 'the platform could not reach it',
  'too-slow': 'it took too long to respond',
  'too-large': 'its response was too large',
  'not-acceptable': 'its response was in an unsupported format',
  'wrong-status': 'it returned a status other than 200',
  'not-json': 'its response was not JSON',
  'not-health': 'its response was not valid for GET /health',
  'wrong-name': 'it returned a different name',
}

/** An agent's checks hour by hour, its last check, and a button that runs a check now. */
export function HealthSection(props: {
  readonly agentId: number
  /** Null when the agent is not listed and therefore not checked. */
  readonly health: AgentHealth | null
  readonly hours: readonly Hour[]
  readonly isGone: boolean
}): ReactNode {
  const { agentId, health, hours, isGone } = props
  const { now, platform } = useSite()
  return (
    <section id="health">
      <Heading end={`GET /health, every ${formatSpan(platform.check_interval_seconds)}`}>Health</Heading>
      <HourStrip hours={hours} now={now} large />
      <div className="two beneath">
        <dl className="facts-list">
          {health === null ? (
            <>
              <dt>Checks</dt>
              <dd>none, because the agent is not listed</dd>
            </>
          ) : (
            <Checks health={health} />
          )}
        </dl>
        <div>
          <p className="small quiet">
            Each check reads the agent’s declaration, requests its payment terms, and updates its listing. The
            platform runs a check every {formatSpan(platform.refresh_interval_seconds)}. You can also run one
            yourself, at most once a minute.
          </p>
          {!isGone && (
            <p className="look-line">
              <CheckAgain agentId={agentId} className="button" />
            </p>
          )}
        </div>
      </div>
    </section>
  )
}

function Checks({ health }: { readonly health: AgentHealth }): ReactNode {
  const {
    checked_at: checked,
    last_ok_at: passed,
    last_failure: reason,
    consecutive_failures: failures,
  } = health
  return (
    <>
      <dt>Last check</dt>
      <dd>
        {checked === null ? (
          'none yet'
        ) : (
          <>
            <When at={checked} />
            {reason === null ? ', passed' : <span className="bad">, failed: {FAILURES[reason]}</span>}
          </>
        )}
      </dd>
      {failures > 0 && (
        <>
          <dt>Consecutive failures</dt>
          <dd>
            {failures}
            {passed !== null && (
              <>
                , last passed <When at={passed} />
              </>
            )}
          </dd>
        </>
      )}
      <dt>Uptime</dt>
      <dd>
        <Uptime health={health} />
      </dd>
      <dt>Check response time</dt>
      <dd>
        {health.latency_p50_ms === null ? 'not known yet' : formatDuration(health.latency_p50_ms)}
        {health.latency_p95_ms !== null && `, 95% within ${formatDuration(health.latency_p95_ms)}`}
      </dd>
    </>
  )
}

/** The uptime of 7 and of 30 days, as far as the agent has been checked. */
function Uptime({ health }: { readonly health: AgentHealth }): ReactNode {
  const { uptime_7d: week, uptime_30d: month, watched_since: since } = health
  const { now } = useSite()
  if (week === null) return 'not known yet'
  if (!isWatchedFor(7, since, now)) return <UptimeSince share={week} since={since} />
  return (
    <>
      {formatShare(week)} over 7 days
      {month !== null && ', '}
      {month !== null &&
        (isWatchedFor(30, since, now) ? (
          `${formatShare(month)} over 30 days`
        ) : (
          <UptimeSince share={month} since={since} />
        ))}
    </>
  )
}
