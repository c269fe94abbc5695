import { Menu } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import type { Endpoint } from '../../../src/http/contract.ts'
import { SelectField } from '../../shared/field.tsx'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import type { ChangeParts } from '../api.ts'
import { useConsole } from '../api.ts'
import { ActionButton, useRefusal } from './action-button.tsx'
import { BulkReport } from './bulk-report.tsx'
import type { BulkRow, Outcome, Work } from './bulk-run.ts'
import { createRun, eachRow } from './bulk-run.ts'
import { Confirm } from './confirm.tsx'
import { ShowCall } from './show-call.tsx'
import type { BulkProps } from './table-bar.tsx'
import { useRefresh } from './use-refresh.ts'

/** What the person has entered in the dialog: the reason, and the selected value if the action offers a choice. */
export interface Given {
  readonly choice: string
  readonly reason: string
}

/** An action on several rows. It makes one call for each row. */
export interface BulkAction<Row> {
  readonly label: string
  readonly icon: IconName
  readonly permission: InstancePermission
  readonly endpoint: Endpoint
  readonly input: (row: Row, given: Given) => ChangeParts
  /** The arguments of the command that has this effect on one row. */
  readonly command?: (row: Row, given: Given) => readonly string[]
  /** Why the action is impossible for a row. The action then skips the row. */
  readonly blocked?: (row: Row) => string | undefined
  readonly consequences: readonly string[]
  readonly isDangerous?: boolean
  /** True for an irreversible action. The person then has to type the number of rows. */
  readonly isFinal?: boolean
  readonly reason?: 'required' | 'optional'
  readonly choice?: { readonly label: string; readonly options: readonly (readonly [value: string, text: string])[] }
}

interface StartOptions<Row> {
  readonly title: string
  readonly rows: readonly BulkRow<Row>[] | undefined
  readonly work: Work<Row>
  readonly summary?: (done: readonly Outcome<Row>[]) => string
}

/** Returns a function that starts a bulk action. The report of the action stays when the person leaves the screen. */
export const useBulkRun = () => {
  const { stay } = useConsole()
  const refresh = useRefresh()
  return <Row,>({ title, rows, work, summary }: StartOptions<Row>) => {
    const run = createRun({ rows, work, onEnd: refresh })
    stay((leave) => <BulkReport title={title} run={run} summary={summary} onLeave={leave} />)
  }
}

const namesShown = 5

/** The reasons why rows are skipped, each with the number of rows. */
const leftOut = <Row,>({ blocked }: BulkAction<Row>, rows: readonly Row[]) => {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const why = blocked?.(row)
    if (why !== undefined) counts.set(why, (counts.get(why) ?? 0) + 1)
  }
  return [...counts]
}

const isFor = <Row,>({ blocked }: BulkAction<Row>, row: Row) => blocked?.(row) === undefined

interface BulkDialogProps<Row> extends BulkProps<Row> {
  readonly action: BulkAction<Row>
  readonly onClose: () => void
}

const BulkDialog = <Row,>({ action, rows: shown, idOf, nameOf, hrefOf, onClear, onClose }: BulkDialogProps<Row>) => {
  const { t, list } = useI18n()
  const { api } = useConsole()
  const start = useBulkRun()
  const { label, endpoint, input, command, choice, consequences, isDangerous, isFinal, reason } = action
  // The rows that were selected when the dialog opened. The action applies to these rows, even if the list changes meanwhile.
  const [rows] = useState(shown)
  const [chosen, setChosen] = useState(choice?.options[0]?.[0] ?? '')
  const fit = rows.filter((row) => isFor(action, row))
  const count = fit.length
  const more = count - namesShown
  const names = [...fit.slice(0, namesShown).map(nameOf), ...(more > 0 ? [t('lists.more', { count: more })] : [])]
  const title = t('lists.title', { action: label, count })
  return (
    <Confirm
      title={title}
      consequences={[
        list(names),
        ...leftOut(action, rows).map(([why, rest]) => t('lists.leftOut', { count: rest, why })),
        ...consequences,
      ]}
      action={label}
      isDangerous={isDangerous === true}
      {...(isFinal === true ? { typed: String(count) } : {})}
      {...(reason === undefined ? {} : { reason })}
      foot={
        <ShowCall
          calls={({ reason: why }) => {
            const given = { choice: chosen, reason: why }
            return fit.map((row) => ({ target: endpoint, input: input(row, given), command: command?.(row, given) }))
          }}
        />
      }
      onConfirm={async (why) => {
        const said = { choice: chosen, reason: why }
        start({
          title,
          rows: fit.map((row) => ({ id: idOf(row), name: nameOf(row), href: hrefOf?.(row), row })),
          work: eachRow(
            (row: Row) => api.call({ endpoint }, 'endpoint', { ...input(row, said), reason: why }),
            api.hosted.retryAfterSeconds,
          ),
        })
        onClear()
      }}
      onClose={onClose}
    >
      {choice === undefined ? null : (
        <SelectField
          name="choice"
          label={choice.label}
          value={chosen}
          options={choice.options.map(([value, text]) => ({ value, text }))}
          onValue={setChosen}
        />
      )}
    </Confirm>
  )
}

interface Measured {
  readonly key: string
  /** The right end of each action's button, in pixels from the start of the bar. */
  readonly ends: readonly number[]
  /** Width of an icon button with the gap before it, in pixels. */
  readonly iconWidth: number
}

const endsIn = (bar: HTMLElement): number[] => {
  const { left } = bar.getBoundingClientRect()
  return [...bar.querySelectorAll('.bulk-action')].map((one) => one.getBoundingClientRect().right - left)
}

/** Returns how many buttons fit into the bar. All buttons are measured first, and again when the width of the bar changes. */
const useFitting = (labels: readonly string[]) => {
  const bar = useRef<HTMLElement>(null)
  const [room, setRoom] = useState(0)
  const [measured, setMeasured] = useState<Measured>()
  const key = labels.join()
  const current = measured?.key === key ? measured : undefined
  const fitting = (icons: number) =>
    current?.ends.filter((end) => end + icons * current.iconWidth <= room).length ?? labels.length
  // The bar always needs room for the icon button that clears the selection. If not all actions fit, it also needs room for the button
  // that opens the menu with the other actions.
  const count = fitting(1) === labels.length ? labels.length : fitting(2)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of actions has other elements to observe.
  useLayoutEffect(() => {
    const element = bar.current
    if (element === null) return
    setRoom(element.clientWidth)
    if (current === undefined) {
      const iconWidth = element.querySelector('.icon-button')?.getBoundingClientRect().width ?? 0
      setMeasured({ key, ends: endsIn(element), iconWidth: iconWidth + Number.parseFloat(getComputedStyle(element).columnGap) })
      return
    }
    const observer = new ResizeObserver(() => {
      setRoom(element.clientWidth)
      if (endsIn(element).some((end, index) => Math.abs(end - (current.ends[index] ?? 0)) > 0.5)) setMeasured(undefined)
    })
    for (const one of [element, ...element.querySelectorAll('.bulk-action')]) observer.observe(one)
    return () => observer.disconnect()
  }, [key, current, count])
  return { bar, count }
}

interface MenuActionProps<Row> {
  readonly action: BulkAction<Row>
  readonly blocked: string | undefined
  readonly onClick: () => void
}

const MenuAction = <Row,>({ action: { label, icon, permission }, blocked, onClick }: MenuActionProps<Row>) => {
  const reason = useRefusal(permission, blocked)
  return (
    <Menu.Item leftSection={<Icon name={icon} size={16} />} disabled={reason !== undefined} onClick={onClick}>
      {label}
      {reason === undefined ? null : <span className="who-detail">{reason}</span>}
    </Menu.Item>
  )
}

/**
 * Buttons for actions on the selected rows. Actions that do not fit in the bar are in a menu. People without the permission for an action
 * see its button disabled, with the roles that have the permission.
 */
export const BulkBar = <Row,>({ actions, ...bulk }: BulkProps<Row> & { readonly actions: readonly BulkAction<Row>[] }) => {
  const { t } = useI18n()
  const [open, setOpen] = useState<BulkAction<Row>>()
  const { rows } = bulk
  const { bar, count } = useFitting(actions.map(({ label }) => label))
  const more = useRef<HTMLButtonElement>(null)
  const close = () => {
    // The menu, and with it the menu item that opened the dialog, has disappeared. The focus therefore goes to the button of the menu.
    if (open !== undefined && actions.indexOf(open) >= count) more.current?.focus()
    setOpen(undefined)
  }
  const blockedOf = (action: BulkAction<Row>) =>
    rows.some((row) => isFor(action, row)) ? undefined : leftOut(action, rows)[0]?.[0]
  return (
    <section ref={bar} className="bulk-actions" aria-label={t('lists.actions')}>
      {actions.slice(0, count).map((action) => (
        <span key={action.label} className="bulk-action">
          <ActionButton
            permission={action.permission}
            icon={action.icon}
            blocked={blockedOf(action)}
            onClick={() => setOpen(action)}
          >
            {action.label}
          </ActionButton>
        </span>
      ))}
      {count === actions.length ? null : (
        <Menu>
          <Menu.Target>
            <button ref={more} type="button" className="icon-button bulk-more" aria-label={t('lists.moreActions')}>
              <Icon name="more" size={18} />
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            {actions.slice(count).map((action) => (
              <MenuAction key={action.label} action={action} blocked={blockedOf(action)} onClick={() => setOpen(action)} />
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <button type="button" className="icon-button" aria-label={t('lists.clear')} onClick={bulk.onClear}>
        <Icon name="close" size={18} />
      </button>
      {open === undefined ? null : <BulkDialog {...bulk} action={open} onClose={close} />}
    </section>
  )
}
