import { expect, test } from 'vitest'
import { createRandom } from '../platform/random.ts'
import { createPageMix, searchPath } from './page-mix.ts'

test('a search’s page has the search in its address, without what only programs ask', () => {
  expect(searchPath({ q: 'exact fare', max_price: '0.01', limit: '100' })).toBe(
    '/?q=exact+fare&max_price=0.01',
  )
})

test('kinds of searches come as often as they are asked, and agents are ones that are there', () => {
  const asked = (q: string, share: number) => ({ name: q, share, ask: () => ({ q }) })
  const kinds = createPageMix({
    searches: [asked('often', 9), asked('seldom', 1)],
    agents: 50,
    random: createRandom(1),
  })
  const paths = (name: string): readonly string[] =>
    Array.from({ length: 1_000 }, () => kinds.find(kind => kind.name.startsWith(name))?.path() ?? '')
  const seldom = paths('/?q').filter(path => path === '/?q=seldom').length
  expect(seldom).toBeGreaterThan(60)
  expect(seldom).toBeLessThan(140)
  const ids = paths('/agents').map(path => Number(path.slice('/agents/'.length)))
  expect([Math.min(...ids), Math.max(...ids)]).toEqual([1, 50])
})
