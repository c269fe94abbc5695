import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import './preview.css'

export type Theme = 'light' | 'dark'

/** A style sheet whose rules for the system's colours are those of one theme, whatever the system says. */
const turned = (css: string, theme: Theme): string =>
  css
    .replace(/\(prefers-color-scheme:\s*dark\)/g, theme === 'dark' ? '(min-width: 0px)' : '(max-width: 0px)')
    .replace(/\(prefers-color-scheme:\s*light\)/g, theme === 'light' ? '(min-width: 0px)' : '(max-width: 0px)')

interface PreviewFrameProps {
  /** What is shown, for people who hear it. */
  readonly title: string
  readonly theme: Theme
  readonly css: string
  readonly isPhone: boolean
  readonly children: ReactNode
}

/**
 * A document of its own with nothing in it but what is drawn here: no address is loaded, no script runs in it, and nothing in it can be
 * pressed. It has its own width, so that pages look as they do there, and its own style sheets.
 */
export const PreviewFrame = ({ title, theme, css, isPhone, children }: PreviewFrameProps) => {
  const [body, setBody] = useState<HTMLElement>()
  useEffect(() => {
    const page = body?.ownerDocument
    const view = page?.defaultView as (Window & typeof globalThis) | null | undefined
    if (page === undefined || view === null || view === undefined) return
    const sheet = new view.CSSStyleSheet()
    sheet.replaceSync(turned(css, theme))
    page.adoptedStyleSheets = [sheet]
    page.documentElement.style.colorScheme = theme
  }, [body, css, theme])
  return (
    <figure className={isPhone ? 'preview preview-phone' : 'preview'}>
      <iframe
        className="preview-frame"
        title={title}
        tabIndex={-1}
        srcDoc="<!doctype html><title>Preview</title><body inert>"
        onLoad={({ currentTarget }) => setBody(currentTarget.contentDocument?.body)}
      />
      <figcaption>{title}</figcaption>
      {body === undefined ? null : createPortal(children, body)}
    </figure>
  )
}
