import { useEffect, useRef } from 'react'

/** The content of the `style` element of a mail. It has the rules for dark mode and for narrow screens. */
export const stylesOfMail = (html: string): string => /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? ''

/**
 * Shows a mail as gatehouse's renderer made it. Mails need style attributes, but the content policy forbids them in markup, so a script
 * sets each of these styles.
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
