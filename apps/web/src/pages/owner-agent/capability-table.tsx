import type { AgentDashboard } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/share.ts'
import { workColumns } from '../../owner/agents/work-columns.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Table } from '../../parts/table.tsx'

/** The figures of each capability of an agent. */
export function CapabilityTable(props: {
  readonly capabilities: AgentDashboard['capabilities']
  readonly days: string
}): ReactNode {
  const { capabilities, days } = props
  if (capabilities.length === 0) return null
  const { jobs, delivered, duration, earned } = workColumns(capabilities)
  return (
    <section>
      <Heading look="close" end={`last ${days} days`}>
        Capabilities
      </Heading>
      <Table
        scrollsAs="Capabilities"
        rows={capabilities}
        keyOf={({ capability }) => capability}
        columns={[
          {
            head: 'Capability',
            look: 'title',
            className: 'mono',
            cell: ({ capability }) => <bdi>{capability}</bdi>,
          },
          jobs,
          { head: 'Failed', look: 'num', cell: row => formatCount(row.jobs.failed) },
          { head: 'No response', look: 'num', cell: row => formatCount(row.jobs.expired) },
          delivered,
          duration,
          earned,
        ]}
      />
    </section>
  )
}
