import type { Announcer } from './announcer.ts'

/** Tells each of several screens the same, in their order; asked anew each time which they are. */
export function announceToAll(screens: () => readonly Announcer[]): Announcer {
  const each = (tell: (screen: Announcer) => void): void => {
    for (const screen of screens()) tell(screen)
  }
  return {
    serving: (description, isFirst) => each(screen => screen.serving(description, isFirst)),
    restarted: restart => each(screen => screen.restarted(restart)),
    refused: (reason, stillServing) => each(screen => screen.refused(reason, stillServing)),
    trouble: (reason, next) => each(screen => screen.trouble(reason, next)),
    types: problems => each(screen => screen.types(problems)),
    line: (line, from) => each(screen => screen.line(line, from)),
    trace: lines => each(screen => screen.trace(lines)),
    note: text => each(screen => screen.note(text)),
  }
}
