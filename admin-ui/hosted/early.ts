import type { Refusal } from '../shared/form.tsx'

/** The input in the server's form, which the person may use before the script replaces it. */
export interface Typed {
  /** True while the browser sends the form. The answer is the next page, so this page stays as it is. */
  isSent(): boolean
  /** The server's message about the form, until the page's own form has taken it over. */
  refusal(): Refusal | undefined
  /** Resolves when drawing the page removes no field, menu or button in use. Resolves at once if the page does not work without script. */
  isStill(): Promise<void>
  /** Stores the error of a passkey that was chosen in the field. */
  noteFailure(error: unknown): void
  /** Returns that error once. */
  takeFailure(): { readonly error: unknown } | undefined
  /**
   * Puts the input into the page's own form, once. If the person has pressed the button of the server's form and the browser has not sent
   * it, the page's form is sent.
   */
  into(form: HTMLFormElement): void
}

/** The name of an input. A field of the server's form that must not be sent has the attribute `data-name` in place of `name`. */
const nameOf = ({ name, dataset }: HTMLInputElement) => name || (dataset['name'] ?? '')

const inputsOf = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (element): element is HTMLInputElement => element instanceof HTMLInputElement && nameOf(element) !== '',
  )

const readRefusal = (): Refusal | undefined => {
  const text = document.getElementById('refused')?.textContent
  return text ? (JSON.parse(text) as Refusal) : undefined
}

/** Events after which the person may have stopped using a control. */
const ends = ['pointerup', 'pointercancel', 'focusout', 'change', 'compositionend'] as const

/**
 * Watches which control is in use. The returned function makes a promise that resolves when nothing is in use: no pressed button, no open
 * menu, no focused field.
 */
const watchHands = (root: HTMLElement) => {
  let isDown = false
  let inUse: EventTarget | null = null
  /** True after another language was chosen. Drawing the page is the reaction to this, so nothing has to wait. */
  let isChosen = false
  const isHeld = () => {
    const { activeElement } = document
    if (isChosen) return false
    return isDown || activeElement instanceof HTMLSelectElement || (activeElement !== null && activeElement === inUse)
  }
  root.addEventListener('pointerdown', ({ target }) => {
    isDown = true
    inUse = target
  })
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => (isDown = false))
  root.addEventListener('change', ({ target }) => {
    isChosen ||= target instanceof HTMLSelectElement
  })
  for (const type of ['keydown', 'input', 'focusin'])
    root.addEventListener(type, ({ target }) => {
      // The browser focuses the first field by itself, which is no use by the person.
      if (target instanceof HTMLInputElement && (type !== 'focusin' || inUse !== null)) inUse = target
    })
  return () =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isHeld()) return
        for (const type of ends) removeEventListener(type, later)
        resolve()
      }
      // The check runs after the event's own effect, because a click follows `pointerup`.
      const later = () => void setTimeout(look)
      for (const type of ends) addEventListener(type, later)
      look()
    })
}

/** Longest wait of a sent form for the code of its page, in milliseconds. */
const codeWaitMs = 1_000

/**
 * Watches the server's form until the page has its own. Removed inputs keep their values, so they can be read later. `isWhole` is true if
 * the page works without script.
 */
export const watchTyped = (root: HTMLElement, isWhole: boolean): Typed | undefined => {
  const early = root.querySelector('.early')
  let refused = readRefusal()
  if (early === null) return undefined
  /** Null if people sign in without a password. The page then has only the forms of providers' buttons. */
  const form = early.querySelector<HTMLFormElement>('.form')
  let inputs = form === null ? [] : inputsOf(form)
  let focused = document.activeElement
  let isSent = false
  /** Ends the wait of `isStill`; undefined while the page's code loads. */
  let letGo: (() => void) | undefined
  let sendsAgain = false
  let failure: { readonly error: unknown } | undefined
  let patience: ReturnType<typeof setTimeout> | undefined
  /** Lets the browser send the form, without the actions that the page's code would add. */
  const sendPlainly = () => {
    isSent = true
    form?.submit()
  }
  root.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.closest('.early') === null) return
    if (event.target !== form || !isWhole) {
      isSent = true
      return
    }
    event.preventDefault()
    sendsAgain = true
    if (letGo === undefined) patience ??= setTimeout(sendPlainly, codeWaitMs)
    else letGo()
  })
  form?.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : null
  })
  const untilFree = isWhole ? watchHands(root) : undefined
  return {
    isSent: () => isSent,
    refusal: () => refused,
    noteFailure: (error) => {
      failure = { error }
    },
    takeFailure: () => {
      const taken = failure
      failure = undefined
      return taken
    },
    isStill: () =>
      untilFree === undefined
        ? Promise.resolve()
        : new Promise((resolve) => {
            clearTimeout(patience)
            letGo = resolve
            if (sendsAgain) resolve()
            else void untilFree().then(resolve)
          }),
    into: (form) => {
      const own = new Map(inputsOf(form).map((input) => [nameOf(input), input]))
      const isTyped = inputs.some(({ type, value }) => type !== 'checkbox' && value !== '')
      for (const early of inputs) {
        const name = nameOf(early)
        const { type, value, checked } = early
        const input = own.get(name)
        if (input === undefined) continue
        if (type === 'checkbox') input.checked = checked
        else if (value !== '') input.value = value
        // Without typed text, the page decides which field has the focus.
        if (isTyped && focused instanceof HTMLInputElement && focused.name === name) input.focus()
      }
      inputs = []
      refused = undefined
      if (sendsAgain) setTimeout(() => form.requestSubmit())
      sendsAgain = false
    },
  }
}
