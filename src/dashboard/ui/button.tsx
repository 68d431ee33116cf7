import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Link, type LinkProps } from 'react-router'
import { classes } from './classes.ts'
import css from './button.module.css'

interface Looks {
  /** One button of a view is `primary`: what most people come for. */
  readonly look?: 'primary' | 'secondary' | 'ghost' | 'danger'
  readonly size?: 'normal' | 'small'
  readonly icon?: LucideIcon
}

type ButtonProps = Looks &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> & {
    readonly type?: 'button' | 'submit'
    /** Work is under way: shows it, and takes no second press. */
    readonly busy?: boolean
    readonly ref?: Ref<HTMLButtonElement>
  }

function classOf({ look = 'secondary', size = 'normal' }: Looks, className?: string): string {
  return classes(css['button'], css[look], size === 'small' && css['small'], className)
}

export function Button(props: ButtonProps) {
  const {
    look,
    size,
    icon: Icon,
    busy = false,
    type = 'button',
    className,
    children,
    disabled,
    onClick,
    ...rest
  } = props
  return (
    <button
      {...rest}
      type={type}
      className={classOf({ ...(look && { look }), ...(size && { size }) }, className)}
      disabled={disabled}
      // Disabled it would lose the focus, and with it where a keyboard is.
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <LoaderCircle className="spinning" aria-hidden /> : Icon && <Icon aria-hidden />}
      {children}
    </button>
  )
}

export function LinkButton({ look, size, icon: Icon, className, children, ...rest }: Looks & LinkProps) {
  return (
    <Link {...rest} className={classOf({ ...(look && { look }), ...(size && { size }) }, className)}>
      {Icon && <Icon aria-hidden />}
      {children}
    </Link>
  )
}

type IconButtonProps = Omit<ButtonProps, 'icon' | 'children'> & {
  readonly icon: LucideIcon
  /** What it does: its name for screen readers, and its tooltip. */
  readonly label: string
  readonly badge?: ReactNode
}

export function IconButton({ icon: Icon, label, className, look = 'ghost', badge, ...rest }: IconButtonProps) {
  return (
    <Button {...rest} look={look} aria-label={label} title={label} className={classes(css['iconOnly'], className)}>
      <Icon aria-hidden />
      {badge}
    </Button>
  )
}

interface IconLinkProps extends Looks, LinkProps {
  readonly icon: LucideIcon
  /** Where it leads: its name for screen readers, and its tooltip. */
  readonly label: string
}

export function IconLink({ icon, label, look = 'ghost', className, ...rest }: IconLinkProps) {
  return (
    <LinkButton
      {...rest}
      icon={icon}
      look={look}
      aria-label={label}
      title={label}
      className={classes(css['iconOnly'], className)}
    />
  )
}
