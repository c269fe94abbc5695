import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import './preview.css'

export type Theme = 'light' | 'dark'

/** Rewrites a style sheet so that the rules for the given theme apply, whatever the theme of the system is. */
const turned = (css: string, theme: Theme): string =>
  css
    .replace(/\(prefers-color-scheme:\s*dark\)/g, theme === 'dark' ? '(min-width: 0px)' : '(max-width: 0px)')
    .replace(/\(prefers-color-scheme:\s*light\)/g, theme === 'light' ? '(min-width: 0px)' : '(max-width: 0px)')

interface PreviewFrameProps {
  /** The accessible name of the frame. */
  readonly title: string
  readonly theme: Theme
  readonly css: string
  readonly isPhone: boolean
  readonly children: ReactNode
}

/**
 * An isolated document that shows a preview. It loads no URL and runs no script, and nothing in it can be pressed. The document has a
 * width and style sheets of its own, so that pages look in it as they usually do.
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
