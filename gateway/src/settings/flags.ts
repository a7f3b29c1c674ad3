import { type AnySetting, SETTINGS } from "./table.js";

/** A setting on the command line. */
export interface Flag {
  /** The name of the flag, without dashes. */
  readonly name: string;
  /** The name of the option and of the key in the config file. */
  readonly option: string;
  readonly variable: string;
  /** The placeholder of the value. Empty for a switch. */
  readonly placeholder: string;
  readonly help: string;
  /** The minimum and the maximum as text. Empty without. */
  readonly range: string;
  readonly setting: AnySetting;
}

/** Every setting, in the order of the help. */
export const flags: readonly Flag[] = Object.entries<AnySetting>(SETTINGS).map(([option, setting]) => {
  const { kind, flag: name = kebabCase(option), placeholder = kind.placeholder, help } = setting;
  const value = setting.defaultText ?? (setting.default === undefined ? "" : kind.show(setting.default));
  return {
    name,
    option,
    variable: environmentName(name),
    placeholder,
    help: value === "" ? help : `${help} (default ${value})`,
    range: kind.range ?? "",
    setting,
  };
});

export function environmentName(flag: string): string {
  return `WARMLINE_GATEWAY_${flag.toUpperCase().replaceAll("-", "_")}`;
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
