import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { Mark } from '../../shared/logo.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { useLive } from '../live/use-live.tsx'
import { PaletteOpener } from '../palette/opener.tsx'
import { Impersonation } from './impersonation.tsx'
import { Keys } from './keys.tsx'
import { PersonMenu } from './person-menu.tsx'
import { Proof } from './proof.tsx'
import { Sidebar } from './sidebar.tsx'
import { useScroll } from './use-scroll.ts'

const Home = ({ onFollow }: { readonly onFollow?: () => void }) => {
  const { site } = useConsole()
  return (
    <Link className="side-home" to="/admin" {...(onFollow === undefined ? {} : { onClick: onFollow })}>
      <Mark size={22} />
      <span className="break">{site}</span>
    </Link>
  )
}

/**
 * The frame around every screen: the navigation at the side (on a phone in a drawer), and a top bar with the person's menu and the
 * keyboard shortcuts.
 */
export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const { t } = useI18n()
  const { pathname } = useLocation()
  useLive()
  useScroll()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer.
  useEffect(close, [pathname])
  return (
    <div className="inside-shell">
      <a className="skip" href="#content">
        {t('console.skip')}
      </a>
      <header className="side side-fixed">
        <Home />
        <Sidebar />
      </header>
      <Drawer opened={isOpen} onClose={close} size={280} title={t('console.navigation')}>
        <div className="side side-drawer">
          <Home onFollow={close} />
          <Sidebar />
        </div>
      </Drawer>
      <div className="inside-main">
        <section className="top-area" aria-label={t('console.person.account')}>
          <Impersonation />
          <div className="top">
            <button
              type="button"
              className="icon-button top-menu"
              aria-label={t('console.openMenu')}
              aria-expanded={isOpen}
              onClick={() => setIsOpen(true)}
            >
              <Icon name="menu" />
            </button>
            <PaletteOpener />
            <span className="top-space" />
            <PersonMenu />
          </div>
        </section>
        <main id="content" className="inside-content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Keys />
      <Proof />
    </div>
  )
}
