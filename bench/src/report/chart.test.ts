import { describe, expect, test } from 'vitest'
import type { Row } from './bench.ts'
import { drawChart } from './chart.ts'

const ratio: Row = {
  what: 'paid execute',
  short: 'a paid job',
  ours: '4,210/s',
  peer: { name: 'peer & sons', figure: '100/s' },
  ratio: 42.1,
  goal: { atLeast: 35 },
}
const rates: Row = {
  what: 'burst',
  ours: '438/s',
  peer: { name: 'at least', figure: '400/s' },
  ratio: 1.1,
  goal: { atLeast: 1 },
  panel: {
    kind: 'rates',
    title: 'Payments a second',
    about: 'at once',
    goalPerSecond: 400,
    bars: [
      { name: 'Farebox, one key', isOurs: true, perSecond: 438 },
      { name: 'x402 facilitator', isOurs: false, perSecond: 40 },
    ],
  },
}
const timeLine: Row = {
  ...rates,
  panel: {
    kind: 'time-line',
    title: 'A job',
    about: 'median',
    parts: [
      { who: 'agent', name: 'agent', ms: 4 },
      { who: 'chain', name: 'nothing', ms: 0 },
      { who: 'chain', name: 'chain', ms: 6 },
    ],
  },
}

const shapes = (svg: string, name: string): readonly { readonly [attribute: string]: string }[] =>
  [...svg.matchAll(/<(?:rect|line) class="(\w+)"([^>]*)\/>/g)]
    .filter(([, found]) => found === name)
    .map(([, , text = '']) =>
      Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
    )

describe('the chart', () => {
  test('shows a ratio beside its goal, with names that are text', () => {
    const svg = drawChart([ratio], 'machine')
    expect(svg).toContain('42× ✓')
    expect(svg).toContain('4,210/s against 100/s, peer &amp; sons')
  })

  test('shows rates in proportion, the peer in another color and without our goal', () => {
    const svg = drawChart([rates], 'machine')
    const [ours, peer] = [shapes(svg, 'bar'), shapes(svg, 'other')]
    expect(Number(ours[0]?.['width']) / Number(peer[0]?.['width'])).toBeCloseTo(438 / 40, 1)
    expect(shapes(svg, 'goal')).toHaveLength(1)
    expect(svg).toContain('438/s')
  })

  test('lets each part of a time line begin where the one before ends, and leaves out those of no time', () => {
    const svg = drawChart([timeLine], 'machine')
    const [agent, chain] = [shapes(svg, 'agent')[0], shapes(svg, 'chain')[0]]
    expect(Number(chain?.['x'])).toBeCloseTo(Number(agent?.['x']) + Number(agent?.['width']), 0)
    expect(Number(chain?.['width']) / Number(agent?.['width'])).toBeCloseTo(6 / 4, 1)
    expect(svg).not.toContain('nothing')
  })

  test('puts panels below each other and is as high as all of them', () => {
    const svg = drawChart([ratio, rates, timeLine], 'machine')
    const height = Number(/viewBox="0 0 760 (\d+)"/.exec(svg)?.[1])
    const lowest = Math.max(...[...svg.matchAll(/ y[2]?="([\d.]+)"/g)].map(([, y]) => Number(y)))
    expect(lowest).toBeLessThan(height)
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
    const titles = [...svg.matchAll(/class="title" x="0" y="(\d+)"/g)].map(([, y]) => Number(y))
    expect(titles).toEqual([...titles].sort((one, other) => one - other))
    expect(titles).toHaveLength(3)
  })
})
