import { useEffect, useRef } from 'react'

/** What a mail says in its style element: for programs with a dark mode, and narrow ones. */
export const stylesOfMail = (html: string): string => /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? ''

/**
 * A mail of our own renderer. Its styles stand in attributes, as mail programs want them, and are set one by one: the content policy lets no
 * attribute style anything.
 */
export const MailDocument = ({ html }: { readonly html: string }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = place
    if (current === null) return
    const mail = new DOMParser().parseFromString(
      html.replace(/<style>[^<]*<\/style>/, '').replaceAll(' style="', ' data-style="'),
      'text/html',
    )
    const { body } = mail
    for (const element of [body, ...body.querySelectorAll<HTMLElement>('[data-style]')]) {
      element.style.cssText = element.dataset['style'] ?? ''
      delete element.dataset['style']
    }
    current.className = body.className
    current.style.cssText = `${body.style.cssText};min-height:100vh`
    current.ownerDocument.body.style.margin = '0'
    current.replaceChildren(...body.childNodes)
  }, [html])
  return <div ref={place} />
}
