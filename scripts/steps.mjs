// Progress for people: one line a step, a spinner while it runs on a terminal, aligned times.

import { elapsedText, machineClock, reportSlowStep } from './slow-step.mjs'

const NAME_WIDTH = 12
const TEXT_WIDTH = 28
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** @param {NodeJS.WriteStream} out */
export function createSteps(out = process.stdout, clock = machineClock) {
  const live = out.isTTY && process.env.TERM !== 'dumb' && process.env.CI === undefined
  const paint = (code, text) =>
    live && text !== '' && process.env.NO_COLOR === undefined ? `\u001b[${code}m${text}\u001b[0m` : text

  /**
   * Runs a step and prints how it went: `describe` says more than its name. Until then what `work` reports is shown, on a
   * terminal at once, elsewhere where the step takes long.
   *
   * @template T
   * @param {string} name
   * @param {(report: (activity: string) => void) => Promise<T>} work
   * @param {(result: T) => { text?: string, note?: string }} describe
   * @returns {Promise<T>}
   */
  async function step(name, work, describe = () => ({})) {
    const startedMs = clock.nowMs()
    let doing = ''
    let frame = 0
    const draw = () => {
      frame += 1
      const shown = [doing, elapsedText(clock.nowMs() - startedMs)].filter(text => text !== '').join(', ')
      // A line that wraps could not be removed again.
      const fits = shown.slice(0, (out.columns || 80) - NAME_WIDTH - 6)
      out.write(`\r\u001b[2K  ${paint(36, FRAMES[frame % FRAMES.length])} ${name.padEnd(NAME_WIDTH)}${fits}`)
    }
    const timer = live ? setInterval(draw, 80) : undefined
    if (live) draw()
    const stopReports = live
      ? () => {}
      : reportSlowStep(
          name,
          () => doing,
          line => out.write(`${line}\n`),
          clock,
        )
    try {
      const result = await work(activity => {
        doing = activity
      })
      const { text = '', note = '' } = describe(result)
      const seconds = `${((clock.nowMs() - startedMs) / 1_000).toFixed(1)} s`
      clear()
      out.write(
        `  ${paint(32, '✓')} ${name.padEnd(NAME_WIDTH)}${text.padEnd(TEXT_WIDTH)} ${seconds.padStart(7)}  ${paint(2, note)}`.trimEnd() +
          '\n',
      )
      return result
    } catch (error) {
      clear()
      out.write(`  ${paint(31, '✗')} ${name}\n`)
      throw error
    }
    function clear() {
      clearInterval(timer)
      stopReports()
      if (live) out.write('\r\u001b[2K')
    }
  }

  return {
    step,
    line: (text = '') => out.write(`${text}\n`),
    bold: text => paint(1, text),
    dim: text => paint(2, text),
    green: text => paint(32, text),
  }
}
