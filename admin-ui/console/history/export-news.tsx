import { notifications } from '@mantine/notifications'
import { useEffect, useEffectEvent } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { auditContract } from '../../../src/audit/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import '../styles/history.css'

type Listed = Answer<WireApi<typeof auditContract>['listEventExports']>

const eventsPath = '/admin/events'

interface ExportNewsProps {
  /** Exports of events that have ended, of anybody. */
  readonly ids: readonly string[]
  readonly onLeave: () => void
}

/** Says in a corner that an export of the person has ended, on every screen but the one that shows it, with the file or the way to the reason. */
export const ExportNews = ({ ids, onLeave }: ExportNewsProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const say = useEffectEvent(async () => {
    if (pathname === eventsPath) return
    const { exports } = await new Promise<Listed>((resolve) =>
      api.quietly(() => resolve(api.call(auditContract, 'listEventExports', { query: { limit: 100 } }))),
    )
    for (const { id, status } of exports) {
      if (!ids.includes(id)) continue
      const hide = () => notifications.hide(id)
      const isMade = status === 'made'
      notifications.show({
        id,
        message: (
          <span className="undo">
            <span className="undo-text">{t(isMade ? 'history.exportReady' : 'history.exportNotMade')}</span>
            {isMade ? (
              <LinkButton kind="secondary" href={auditContract.downloadEventExport.path.replace(':id', id)} onClick={hide}>
                {t('history.exportDownload')}
              </LinkButton>
            ) : (
              <Button
                kind="secondary"
                onClick={() => {
                  hide()
                  void navigate(eventsPath)
                }}
              >
                {t('history.exports')}
              </Button>
            )}
          </span>
        ),
        className: isMade ? 'toast-good' : 'toast-bad',
        closeButtonProps: { 'aria-label': t('console.peek.close') },
        role: 'status',
        autoClose: false,
      })
    }
  })
  useEffect(() => {
    // Without an answer it is seen where the exports are.
    void say()
      .catch(() => undefined)
      .finally(onLeave)
  }, [onLeave])
  return null
}
