import { pickLocale } from '../../src/core/locale.ts'
import { createHostedApi } from '../shared/api.ts'
import { rememberLanguage } from '../shared/chosen-language.ts'
import { knowsPasskeys } from '../shared/passkey.ts'
import type { Typed } from './early.ts'
import { pageUrl } from './return-url.ts'
import { createPasskeySignIn } from './sign-in/passkey-sign-in.ts'
import { lastUsed, rememberUsed } from './social/last-used.ts'

/** Events that show that a person uses the page. On most machines the first is a moving pointer. */
const uses = ['pointermove', 'pointerdown', 'keydown', 'input', 'submit'] as const

/** Parameters whose effect only the script shows, not the server's page. */
const onlyOfScript = ['email', 'error', 'sent']

/** The files with the code of a page that works without its code. Undefined if only the code draws the page. */
export const codeOfPage = (): readonly string[] | undefined => {
  const text = document.getElementById('code')?.textContent
  return text ? (JSON.parse(text) as string[]) : undefined
}

/**
 * Fetches the code at the first event, or at once if the page has more to show than the server has written. Returns a function that
 * fetches it at once.
 */
const whenUsed = (root: HTMLElement, code: readonly string[], start: () => void): (() => void) => {
  let isBegun = false
  const query = new URLSearchParams(location.search)
  const begin = (event?: Event) => {
    // Browsers report a moved pointer also when a page appears below a resting one.
    if (event instanceof PointerEvent && event.type === 'pointermove' && event.movementX === 0 && event.movementY === 0) return
    if (isBegun) return
    isBegun = true
    for (const type of uses) removeEventListener(type, begin, true)
    for (const href of code) {
      const link = Object.assign(document.createElement('link'), { rel: 'modulepreload', href })
      link.crossOrigin = ''
      document.head.append(link)
    }
    start()
  }
  const isTyped = [...root.querySelectorAll('input')].some(({ type, value, defaultValue, checked, defaultChecked }) =>
    type === 'checkbox' ? checked !== defaultChecked : value !== defaultValue,
  )
  if (isTyped || onlyOfScript.some((name) => query.has(name))) begin()
  else for (const type of uses) addEventListener(type, begin, true)
  return () => begin()
}

/** Adds the target of the sign-in and the language to links, and stores a chosen language. */
const helpLinks = (root: HTMLElement, query: URLSearchParams) => {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('.early a[href^="/"]'))
    link.href = pageUrl(link.getAttribute('href') ?? '', query)
  root.querySelector('select')?.addEventListener('change', ({ currentTarget }) => {
    const locale = currentTarget instanceof HTMLSelectElement ? pickLocale([currentTarget.value]) : undefined
    if (locale !== undefined) rememberLanguage(locale)
  })
}

/** Shows the provider that this browser used last among the first ones, and marks it. */
const helpProviders = (root: HTMLElement) => {
  const form = root.querySelector<HTMLFormElement>('form[data-last]')
  form?.addEventListener('submit', ({ submitter }) => {
    if (submitter instanceof HTMLButtonElement) rememberUsed(submitter.value)
  })
  const buttons = [...(form?.querySelectorAll('button') ?? [])]
  const last = buttons.find(({ value }) => value === lastUsed())
  if (form === null || last === undefined || buttons.length < 2) return
  const shown = buttons.filter((button) => button.closest('details') === null)
  const place = shown.at(-1)
  if (!shown.includes(last) && place !== undefined) {
    last.replaceWith(place.cloneNode(true))
    place.replaceWith(last)
  }
  const mark = Object.assign(document.createElement('span'), { className: 'social-last' })
  mark.textContent = ` ${form.dataset['last']}`
  last.append(mark)
  last.removeAttribute('aria-label')
}

/** Offers passkeys in the address field, until the signal aborts. */
const helpPasskeys = (root: HTMLElement, query: URLSearchParams, shown: AbortSignal, fail: (error: unknown) => Promise<void>) => {
  const way = root.querySelector('.other-way')
  const email = root.querySelector<HTMLInputElement>('.early input[name=email]')
  if (way === null) return
  if (!knowsPasskeys()) return way.remove()
  if (email === null) return
  email.setAttribute('autocomplete', 'username webauthn')
  const rememberMe = () => root.querySelector<HTMLInputElement>('[name=rememberMe]')?.checked !== false
  const { offer } = createPasskeySignIn(createHostedApi(), query, rememberMe)
  void offer(shown, fail)
}

/** The accessible name of a button. */
const nameOf = (button: Element) => button.getAttribute('aria-label') ?? button.textContent

/** Presses the button with this name once the page is drawn. */
const pressAgain = (root: HTMLElement, name: string) => {
  const press = () => [...root.querySelectorAll('button')].find((button) => nameOf(button) === name)?.click()
  const drawn = new MutationObserver(() => {
    if (root.querySelector('.early') !== null) return
    drawn.disconnect()
    setTimeout(press)
  })
  drawn.observe(root, { childList: true, subtree: true })
}

/**
 * Makes a page usable before its code is loaded: addresses of links, language, last provider, and passkeys in the field. At the first
 * event it draws the page with `draw`, and then presses the button that the person has already pressed.
 */
export const helpPage = (
  root: HTMLElement,
  code: readonly string[],
  typed: Typed | undefined,
  draw: () => Promise<void>,
): void => {
  const query = new URLSearchParams(location.search)
  const shown = new AbortController()
  let pressed: string | null = null
  const take = () => {
    shown.abort()
    if (pressed !== null) pressAgain(root, pressed)
  }
  // If the code does not load, the page keeps working as the server wrote it.
  const use = whenUsed(root, code, () => void draw().then(take, () => undefined))
  helpLinks(root, query)
  helpProviders(root)
  helpPasskeys(root, query, shown.signal, async (error) => {
    shown.abort()
    typed?.noteFailure(error)
    use()
  })
  const note = ({ target }: Event) => {
    const button = target instanceof Element ? target.closest('.early :is(button[type=button], summary)') : null
    if (button !== null) pressed = nameOf(button)
  }
  root.addEventListener('click', note, { signal: shown.signal })
}
