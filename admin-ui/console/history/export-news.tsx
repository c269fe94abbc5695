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
  /** Ids of exports of events that have ended. Some may be other people's exports. */
  readonly ids: readonly string[]
  readonly onLeave: () => void
}

/**
 * Notifies the person that one of their own exports has ended. The notification links to the file, or to the reason of the failure. It
 * appears on every screen except the list of exports.
 */
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
    // If the request fails, there is no notification, but the list of exports still shows the result.
    void say()
      .catch(() => undefined)
      .finally(onLeave)
  }, [onLeave])
  return null
}
