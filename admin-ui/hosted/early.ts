import type { Refusal } from '../shared/form.tsx'

/** What the person has typed into the form that the server wrote, before the script replaces that form. */
export interface Typed {
  /** True once the browser is sending the server's form. The next page is then loading, so the script leaves this page as it is. */
  isSent(): boolean
  /** Returns the server's message about the form that was sent. Undefined after `into` was called. */
  refusal(): Refusal | undefined
  /**
   * Resolves when the script can draw the page without removing a field, menu or button that the person is using. If the page does not
   * work without script, it resolves immediately.
   */
  isStill(): Promise<void>
  /** Stores the error that occurred when the person chose a passkey in the address field. */
  noteFailure(error: unknown): void
  /** Returns the error that `noteFailure` stored, and forgets it. */
  takeFailure(): { readonly error: unknown } | undefined
  /**
   * Copies what was typed from the server's form to the script's form. It works once. If the person has pressed the button of the
   * server's form and the browser has not sent that form yet, the script's form is sent.
   */
  into(form: HTMLFormElement): void
}

/** The name of an input. Inputs of the server's form that the browser must not send have the attribute `data-name` in place of `name`. */
const nameOf = ({ name, dataset }: HTMLInputElement) => name || (dataset['name'] ?? '')

const inputsOf = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (element): element is HTMLInputElement => element instanceof HTMLInputElement && nameOf(element) !== '',
  )

const readRefusal = (): Refusal | undefined => {
  const text = document.getElementById('refused')?.textContent
  return text ? (JSON.parse(text) as Refusal) : undefined
}

/** Events that may mean that the person has stopped using a control. */
const ends = ['pointerup', 'pointercancel', 'focusout', 'change', 'compositionend'] as const

/**
 * Watches which control the person is using. Returns a function that makes a promise. The promise resolves when no button is pressed, no
 * menu is open and no field that the person used has the focus.
 */
const watchHands = (root: HTMLElement) => {
  let isDown = false
  let inUse: EventTarget | null = null
  /** True after the person has chosen another language. Drawing the page is the response to that choice, so it waits for nothing. */
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
      // The browser itself moves the focus to the first field. That does not mean that the person uses the field.
      if (target instanceof HTMLInputElement && (type !== 'focusin' || inUse !== null)) inUse = target
    })
  return () =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isHeld()) return
        for (const type of ends) removeEventListener(type, later)
        resolve()
      }
      // The check runs after the browser has handled the event, because for example a click follows `pointerup`.
      const later = () => void setTimeout(look)
      for (const type of ends) addEventListener(type, later)
      look()
    })
}

/**
 * How long a form that the person has sent waits for the code of the page, in milliseconds. Then the browser sends the form without that
 * code.
 */
const codeWaitMs = 1_000

/**
 * Watches the server's form until the script has drawn its own form. Removed inputs keep their values, so they can still be read
 * afterwards. `isWhole` is true if the page works without script.
 */
export const watchTyped = (root: HTMLElement, isWhole: boolean): Typed | undefined => {
  const early = root.querySelector('.early')
  let refused = readRefusal()
  if (early === null) return undefined
  /** The form with the fields. Null if people sign in without a password, because the page then only has the forms of the providers' buttons. */
  const form = early.querySelector<HTMLFormElement>('.form')
  let inputs = form === null ? [] : inputsOf(form)
  let focused = document.activeElement
  let isSent = false
  /** Resolves the promise of `isStill`. Undefined until `isStill` is called, which happens when the page's code has loaded. */
  let letGo: (() => void) | undefined
  let sendsAgain = false
  let failure: { readonly error: unknown } | undefined
  let patience: ReturnType<typeof setTimeout> | undefined
  /** Lets the browser send the form as it would without script. */
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
        // If nothing was typed, the script's form decides which field has the focus.
        if (isTyped && focused instanceof HTMLInputElement && focused.name === name) input.focus()
      }
      inputs = []
      refused = undefined
      if (sendsAgain) setTimeout(() => form.requestSubmit())
      sendsAgain = false
    },
  }
}
