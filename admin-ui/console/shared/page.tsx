import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'

interface PageProps {
  /** The name of the screen, shown as its heading and in the browser tab. */
  readonly title: string
  readonly lead?: ReactNode
  /** A picture before the heading. */
  readonly mark?: ReactNode
  /** A link to the list that contains the displayed resource. */
  readonly back?: { readonly to: string; readonly text: string }
  /** Actions beside the heading. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of every screen. After a navigation the heading takes the focus, so that screen readers start reading there. */
export const Page = ({ title, lead, mark, back, actions, children }: PageProps) => {
  const { site } = useConsole()
  const { pathname, key } = useLocation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${site}`
  }, [title, site])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves once for each address.
  useEffect(() => {
    if (key !== 'default') heading.current?.focus({ preventScroll: true })
  }, [pathname])
  return (
    <div className="page">
      {back === undefined ? null : (
        <Link className="page-back" to={back.to}>
          <Icon name="back" size={16} />
          {back.text}
        </Link>
      )}
      <div className="page-head">
        {mark}
        <div className="page-titles">
          <h1 ref={heading} tabIndex={-1} className="break">
            {title}
          </h1>
          {lead === undefined ? null : <p className="page-lead">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

/** A skeleton of a screen, shown while the screen's code loads. */
export const PageSkeleton = () => {
  const { t } = useI18n()
  return (
    <div className="page" aria-busy="true">
      <p className="visually-hidden">{t('console.table.loading')}</p>
      <span className="placeholder bone-title" />
      <span className="placeholder bone-block" />
    </div>
  )
}
