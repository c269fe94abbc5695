import type { Refusal } from '../shared/form.tsx'

/** The typed text of the server's form from before the script could replace it. */
export interface Typed {
  /** True while the form is being sent: the answer is the next page, and this one stays as it is. */
  isSent(): boolean
  /** The server's message about the form, until the page's own form shows it. */
  refusal(): Refusal | undefined
  /** Resolves when the page can be drawn without removing a field, menu or button in use; at once if the page is incomplete. */
  isStill(): Promise<void>
  /** Stores why a passkey chosen in the field was refused. */
  noteFailure(error: unknown): void
  /** The refusal of a passkey that is not shown yet. */
  takeFailure(): { readonly error: unknown } | undefined
  /** Puts the text into the page's form, once, and sends it if the person has sent the server's form. */
  into(form: HTMLFormElement): void
}

/** A field of the early form that must not be sent has no name, but the attribute `data-name`. */
const nameOf = ({ name, dataset }: HTMLInputElement) => name || (dataset['name'] ?? '')

const inputsOf = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (element): element is HTMLInputElement => element instanceof HTMLInputElement && nameOf(element) !== '',
  )

const readRefusal = (): Refusal | undefined => {
  const text = document.getElementById('refused')?.textContent
  return text ? (JSON.parse(text) as Refusal) : undefined
}

/** Events after which nothing may be in use. */
const ends = ['pointerup', 'pointercancel', 'focusout', 'change', 'compositionend'] as const

/** Calls back when nothing is in use: no pressed button, no open menu, no focused field. */
const watchHands = (root: HTMLElement) => {
  let isDown = false
  let inUse: EventTarget | null = null
  /** Another language: drawing is the reaction. */
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
      // The first field gets the focus before the person uses it.
      if (target instanceof HTMLInputElement && (type !== 'focusin' || inUse !== null)) inUse = target
    })
  return () =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isHeld()) return
        for (const type of ends) removeEventListener(type, later)
        resolve()
      }
      // After the event's own effect: a click follows it.
      const later = () => void setTimeout(look)
      for (const type of ends) addEventListener(type, later)
      look()
    })
}

/** Longest wait of a sent form for the code of its page. */
const codeWaitMs = 1_000

/** Watches the form until the page has its own; its inputs keep their values after their removal. `isWhole`: the page works without script. */
export const watchTyped = (root: HTMLElement, isWhole: boolean): Typed | undefined => {
  const early = root.querySelector('.early')
  let refused = readRefusal()
  if (early === null) return undefined
  /** Null where nobody has a password: what else can be sent is the buttons of providers. */
  const form = early.querySelector<HTMLFormElement>('.form')
  let inputs = form === null ? [] : inputsOf(form)
  let focused = document.activeElement
  let isSent = false
  /** Ends the wait until nothing is in use; undefined while the page's code loads. */
  let letGo: (() => void) | undefined
  let sendsAgain = false
  let failure: { readonly error: unknown } | undefined
  let patience: ReturnType<typeof setTimeout> | undefined
  /** The browser sends the form itself, without the code's other actions. */
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
        // Without typed text, the page chooses the next field.
        if (isTyped && focused instanceof HTMLInputElement && focused.name === name) input.focus()
      }
      inputs = []
      refused = undefined
      if (sendsAgain) setTimeout(() => form.requestSubmit())
      sendsAgain = false
    },
  }
}
