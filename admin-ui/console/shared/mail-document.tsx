import { useEffect, useRef } from 'react'

/** The content of a mail's style element, which has the rules for dark mode and for narrow screens. */
export const stylesOfMail = (html: string): string => /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? ''

/**
 * A mail from gatehouse's renderer. Its style attributes, which mail programs need, are set one by one, because the content policy
 * forbids style attributes.
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
