import type { AgentPage } from '@farebox/platform-api/agent'
import type { ReactNode } from 'react'
import { formatDuration } from '../../format/duration.ts'
import { formatCount, formatShare } from '../../format/share.ts'
import { Now, Standing, isWatchedFor, UptimeSince } from '../../parts/standing.tsx'
import { useSite } from '../../site/site.ts'

/** Five figures about an agent; a figure that is not known yet is replaced by words. */
export function AgentFacts({ agent }: { readonly agent: AgentPage }): ReactNode {
  const { health, badge, job_p50_ms: half, job_p95_ms: most, jobs_done: jobs } = agent
  const { now } = useSite()
  const isWatched = isWatchedFor(30, health?.watched_since ?? null, now)
  return (
    <dl className="facts">
      <div>
        <dt>Status</dt>
        <dd>
          <Now
            availability={health?.availability ?? 'waiting'}
            failures={health?.consecutive_failures ?? 0}
            checkedAt={health?.checked_at ?? null}
          />
        </dd>
      </div>
      <div>
        <dt>Badge</dt>
        <dd>
          <Standing badge={badge} />
        </dd>
      </div>
      <div>
        <dt>{isWatched ? 'Uptime, 30 days' : 'Uptime'}</dt>
        <dd className="num">
          {health === null || health.uptime_30d === null ? (
            'not known yet'
          ) : isWatched ? (
            formatShare(health.uptime_30d)
          ) : (
            <UptimeSince share={health.uptime_30d} since={health.watched_since} />
          )}
        </dd>
      </div>
      <div>
        <dt>Response time</dt>
        <dd className="num">
          {half === null ? 'not known yet' : formatDuration(half)}
          {most !== null && <small> p95 {formatDuration(most)}</small>}
        </dd>
      </div>
      <div>
        <dt>Jobs paid for by others</dt>
        <dd className="num">{formatCount(jobs)}</dd>
      </div>
    </dl>
  )
}
