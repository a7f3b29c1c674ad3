import { environmentName, flags } from "../settings/flags.js";

export function helpText(): string {
  const rows = [
    ...flags.map((flag): [string, string] => [`--${flag.name} ${flag.placeholder}`.trimEnd(), flag.help]),
    ["--config <file>", "YAML or JSON file with any of these settings, by names such as maxBodySize"],
    ["--help", "print this help"],
    ["--version", "print the version"],
  ];
  const width = Math.max(...rows.map(([flag]) => flag?.length ?? 0));
  return [
    "HTTP in front of any Redis: the Upstash REST protocol over Redis, Valkey or a built-in engine.",
    "",
    "Usage:",
    "  warmline-gateway [settings]                 run until stopped",
    "  warmline-gateway [settings] -- <command>    run a command with the gateway's address and token",
    "                                              in its environment, and stop with it",
    "",
    "Settings:",
    ...rows.map(([flag, help]) => `  ${flag?.padEnd(width)}  ${help}`),
    "",
    `Each setting has an environment variable, such as ${environmentName("port")} or ${environmentName("max-body-size")}.`,
    "Flags override environment variables, which override the config file.",
    "",
  ].join("\n");
}
