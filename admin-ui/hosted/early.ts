import type { Refusal } from '../shared/form.tsx'

/** What somebody has typed into the form that the server wrote, before the script could take its place. */
export interface Typed {
  /** True when the form is on its way: the answer is the next page, and this one stays as it is. */
  isSent(): boolean
  /** The server's message about the form, until the page's own form shows it. */
  refusal(): Refusal | undefined
  /** Puts it into the form of the page, once. */
  into(form: HTMLFormElement): void
}

const inputsOf = (form: HTMLFormElement) =>
  [...form.elements].filter((element): element is HTMLInputElement => element instanceof HTMLInputElement && element.name !== '')

const readRefusal = (): Refusal | undefined => {
  const text = document.getElementById('refused')?.textContent
  return text ? (JSON.parse(text) as Refusal) : undefined
}

/** Watches the form until the page has its own; its inputs keep their values after they have left the page. */
export const watchTyped = (root: HTMLElement): Typed | undefined => {
  const early = root.querySelector<HTMLFormElement>('.early form')
  let refused = readRefusal()
  if (early === null) return undefined
  let inputs = inputsOf(early)
  let focused = document.activeElement
  let isSent = false
  early.addEventListener('submit', () => {
    isSent = true
  })
  early.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : null
  })
  return {
    isSent: () => isSent,
    refusal: () => refused,
    into: (form) => {
      const own = new Map(inputsOf(form).map((input) => [input.name, input]))
      const isTyped = inputs.some(({ type, value }) => type !== 'checkbox' && value !== '')
      for (const { name, type, value, checked } of inputs) {
        const input = own.get(name)
        if (input === undefined) continue
        if (type === 'checkbox') input.checked = checked
        else if (value !== '') input.value = value
        // Where nothing is typed, the page knows better which field is next.
        if (isTyped && focused instanceof HTMLInputElement && focused.name === name) input.focus()
      }
      inputs = []
      refused = undefined
    },
  }
}
