// Progress as people see it: one line a step, a spinner while it runs on a terminal, aligned times.

const NAME_WIDTH = 12
const TEXT_WIDTH = 28
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** @param {NodeJS.WriteStream} out */
export function createSteps(out = process.stdout) {
  const live = out.isTTY && process.env.TERM !== 'dumb' && process.env.CI === undefined
  const paint = (code, text) =>
    live && text !== '' && process.env.NO_COLOR === undefined ? `\u001b[${code}m${text}\u001b[0m` : text

  /**
   * Runs a step and prints how it went. `work` may return `{ text, note }` to say more than its name.
   *
   * @template T
   * @param {string} name
   * @param {(tell: (text: string) => void) => Promise<T>} work
   * @param {(result: T) => { text?: string, note?: string }} describe
   * @returns {Promise<T>}
   */
  async function step(name, work, describe = () => ({})) {
    const started = performance.now()
    let doing = ''
    let frame = 0
    const draw = () => {
      frame += 1
      out.write(`\r\u001b[2K  ${paint(36, FRAMES[frame % FRAMES.length])} ${name.padEnd(NAME_WIDTH)}${doing}`)
    }
    const timer = live ? setInterval(draw, 80) : undefined
    if (live) draw()
    try {
      const result = await work(text => {
        doing = text
      })
      const { text = '', note = '' } = describe(result)
      const seconds = `${((performance.now() - started) / 1_000).toFixed(1)} s`
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
