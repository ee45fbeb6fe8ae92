import type { Locator } from 'playwright-core'

/** Parts of the page's globals, whose types are not known here. */
interface PageGlobals {
  readonly DataTransfer: new () => {
    setData(type: string, data: string): void
    getData(type: string): string
    readonly items: { add(file: unknown): void }
  }
  readonly ClipboardEvent: new (type: string, init: object) => unknown
  readonly DragEvent: new (type: string, init: object) => unknown
  readonly File: new (parts: readonly string[], name: string) => unknown
}
interface PageElement {
  dispatchEvent(event: unknown): void
}

/** Pastes text into an element. */
export async function paste(element: Locator, text: string): Promise<void> {
  await element.focus()
  await element.evaluate((target, pasted) => {
    const { DataTransfer, ClipboardEvent } = globalThis as unknown as PageGlobals
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    ;(target as unknown as PageElement).dispatchEvent(event)
  }, text)
}

/** Copies the selection of an element; resolves to the text in the clipboard. */
export async function copy(element: Locator): Promise<string> {
  return await element.evaluate(target => {
    const { DataTransfer, ClipboardEvent } = globalThis as unknown as PageGlobals
    const clipboardData = new DataTransfer()
    const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true })
    ;(target as unknown as PageElement).dispatchEvent(event)
    return clipboardData.getData('text/plain')
  })
}

/** Drops a file on an element. */
export async function dropFile(element: Locator, name: string, text: string): Promise<void> {
  await element.evaluate(
    (target, dropped) => {
      const { DataTransfer, DragEvent, File } = globalThis as unknown as PageGlobals
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([dropped.text], dropped.name))
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      ;(target as unknown as PageElement).dispatchEvent(event)
    },
    { name, text },
  )
}
