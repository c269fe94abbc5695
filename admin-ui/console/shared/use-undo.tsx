import { notifications } from '@mantine/notifications'
import { useEffect, useState } from 'react'
import { leavePage } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useProblem } from './failure.tsx'
import { waits } from './pending.ts'
import { useNotify } from './use-notify.ts'

const undoSeconds = 10

const Countdown = ({ text, onUndo }: { readonly text: string; readonly onUndo: () => void }) => {
  const { t } = useI18n()
  const [left, setLeft] = useState(undoSeconds)
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="undo">
      <span className="undo-text">
        {text} {t('console.undo.seconds', { count: left })}
      </span>
      <Button kind="secondary" onClick={onUndo}>
        {t('console.undo.action')}
      </Button>
    </span>
  )
}

/**
 * For small, frequent changes that need no confirmation. The person can undo a change for ten seconds. Only then is it sent to the
 * server, or earlier if the page is left or the session ends (`settleWaiting`).
 */
export const useUndo = () => {
  const { t } = useI18n()
  const problem = useProblem()
  const notify = useNotify()
  return (text: string, change: () => Promise<unknown>) => {
    let isOver = false
    const end = () => {
      isOver = true
      removeEventListener('pagehide', leave)
      forget()
      clearTimeout(timer)
      notifications.hide(id)
    }
    const make = async () => {
      if (isOver) return
      end()
      await change().catch((error: unknown) => notify(problem(error), 'bad'))
    }
    const leave = () => {
      leavePage()
      void make()
    }
    const undo = () => {
      end()
      notify(t('console.undo.undone'))
    }
    const timer = setTimeout(make, undoSeconds * 1000)
    addEventListener('pagehide', leave)
    const forget = waits(make)
    const id = notifications.show({
      message: <Countdown text={text} onUndo={undo} />,
      autoClose: false,
      withCloseButton: false,
    })
  }
}
