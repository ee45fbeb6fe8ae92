import type { AgentBadge } from '@farebox/platform-api/badges'

type Rule = AgentBadge['rules'][number]

/**
 * Describes a badge and the requirements of the next one: `bronze; silver takes 30 days at 99.5 % (99.1 %)`.
 *
 * @param shown the badge that others see
 * @param figures the value for every rule; `undefined` when they are not known
 */
export function describeBadge(shown: string, figures: AgentBadge | undefined): string {
  if (figures === undefined) return shown
  const { badge, rules } = figures
  const name = badge === shown ? shown : `${shown}, one step below ${badge} while checks fail`
  const missing = rules.filter(rule => !rule.passes)
  const [next] = missing
  if (next === undefined) return name
  const wanted = missing.filter(rule => rule.badge === next.badge).map(describeRule)
  return `${name}; ${next.badge} takes ${wanted.join(', ')}`
}

function describeRule({ rule, value, needed }: Rule): string {
  const found = value === null ? 'not known yet' : format(rule, value)
  switch (rule) {
    case 'about-passes':
      return 'an /about that passes'
    case 'health-passes':
      return 'a /health that passes'
    case 'uptime-7-days':
      return `7 days at ${format(rule, needed)} (${found})`
    case 'uptime-30-days':
      return `30 days at ${format(rule, needed)} (${found})`
    case 'paid-jobs':
      return `${needed} paid jobs (${found})`
    case 'success-bound':
      return `success of ${format(rule, needed)} at the least (${found})`
  }
}

function format(rule: Rule['rule'], value: number): string {
  return rule === 'paid-jobs' ? String(value) : `${Math.floor(value * 1_000) / 10} %`
}
